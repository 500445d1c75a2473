-- A ball of radius 0.1 that slips, then rolls.
local x, y, q = position("x", "y", "q")
mass(x, 1) mass(y, 1) mass(q, 0.4*0.01) force(y, -9.81)
local slip = velocity(x) - 0.1*velocity(q)
local c = unilateral("lane", y, {friction = 0.2, slip = slip})
event("rolls", 0.5 - abs(c.sense))
initial{x = 0, y = 0, q = 0, ["der(x)"] = 7, ["der(y)"] = 0, ["der(q)"] = 0}
-- value 1.0193679918450561 x 6.1162079510703364
-- value 1.1 der(x) 5
-- value 1.1 der(q) 50
-- value 3 x 16.019367991845056
-- event rolls 1 1.0193679918450561
-- count rolls 1
