-- Dry friction stops an oscillator: turning points lose 2 F.
local x = position("x") mass(x, 1) force(x, -x)
local f = friction("dry", x, {load = 0.1, static = 1})
event("sticks", 0.5 - abs(f.mode), {direction = "rising"})
event("turns", velocity(x))
initial{x = 1.05, ["der(x)"] = 0}
-- value 4 x -.59023271564770894
-- value 4 der(x) .56760187148094619
-- event turns 1 3.1415926535897932
-- event sticks 1 15.707963267948966
-- value 30 x -0.05
-- value 30 der(x) 0
-- value 30 mu(dry) 0.05
