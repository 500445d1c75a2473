-- The same with friction that falls with the speed, and a damper.
local x = position("x") mass(x, 1) force(x, -x - 0.05*velocity(x))
local f = friction("belt", x - 0.2*time, {load = 1, coefficient = 0.6 + 0.4*exp(-abs(velocity(x) - 0.2)/0.5)})
event("mode", f.mode + 0.5)
initial{x = 0, ["der(x)"] = 0.2}
-- event mode 1 4.95
-- event mode 2 9.7944147307450802
-- event mode 3 12.783546521282824
-- event mode 7 28.450639563848473
-- count mode 7
-- value 4.9 x .98
