-- A mass on a belt sticks and slips: constant sliding friction.
local x = position("x") mass(x, 1) force(x, -x)
local f = friction("belt", x - 0.2*time, {load = 1, coefficient = 0.6, static = 1})
event("mode", f.mode + 0.5)
initial{x = 0, ["der(x)"] = 0.2}
-- event mode 1 5
-- event mode 2 9.0688878715914054
-- event mode 3 13.068887871591405
-- event mode 7 29.206663614774214
-- count mode 7
-- value 5.4636476090008061 x 1.0472135954999579
-- value 8.6052402625905984 x .15278640450004206
-- value 30 der(x) -0.1447847673212016
