-- A sphere thrown on the floor, e = 0.8, mu = 0.3.
local x, y, q = position("x", "y", "q")
mass(x, 1) mass(y, 1) mass(q, 0.4*0.01)
unilateral("floor", y, {friction = 0.3, restitution = 0.8, slip = velocity(x) - 0.1*velocity(q)})
initial{x = 0, y = 0.3, q = 0, ["der(x)"] = 1, ["der(y)"] = -3, ["der(q)"] = 0}
-- event floor.impact 1 .1
-- count floor.impact 1
-- value .2 der(x) 0.7142857142857143
-- value .2 der(y) 2.4
-- value .2 der(q) 7.1428571428571432
