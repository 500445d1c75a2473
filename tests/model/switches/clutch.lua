-- A clutch locks, carries 28 N m, and slips again when the load grows.
local a, b = position("a", "b") mass(a, 2) mass(b, 3)
force(a, 40) force(b, -10 - 20*max(0, time - 8))
local f = friction("clutch", a - b, {load = 50, static = 1.2})
event("mode", f.mode - 0.5)
dynamic("lost", -f.f*f.v)
initial{a = 0, b = 0, ["der(a)"] = 100, ["der(b)"] = 0}
-- event mode 1 5.4545454545454545
-- event mode 2 12
-- count mode 2
-- value 5.4545454545454545 der(a) 72.727272727272727
-- value 6 lost 13636.363636363636
-- value 6 mu(clutch) 28
-- value 8 der(a) 88
-- value 12 der(a) 80
-- value 13 der(a) 75
-- value 13 der(b) 63.333333333333333
