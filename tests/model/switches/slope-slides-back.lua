-- 3 m/s uphill on a slope of 0.3 rad.
local x, y = position("x", "y") mass(x, 1) mass(y, 1)
force(x, -9.81*sin(0.3)) force(y, -9.81*cos(0.3))
local c = unilateral("slope", y, {friction = 0.25, static = 0.28, slip = velocity(x)})
event("stops", c.sense - 0.5, {direction = "falling"})
initial{x = 0, y = 0, ["der(x)"] = 3, ["der(y)"] = 0}
-- event stops 1 .57229890540717606
-- value .57229890540717606 x .85844835811076409
-- value 2 x .29170028061728424
-- value 2 der(x) -.79393099807787806
