-- Tables that do not overshoot, in time.
local x, y = position("x", "y") mass(x, 1) mass(y, 1)
local steer = lookup({0, 1, 1.5, 2, 2.5, 3, 4, 10}, {0, 0, .05, 0, -.05, 0, 0, 0})
local step = lookup({0, 1, 1.01, 2, 3}, {0, 0, 1, 1, 1})
force(x, steer(time)) force(y, step(time))
output("steer", steer(time)) output("step", step(time))
-- value .5 step 0
-- value .5 steer 0
-- value 1.005 step .5
-- value 1.25 steer .025
-- value 1.5 step 1
-- value 1.9 steer .0116
-- value 2.5 step 1
-- value 2.75 steer -.025
-- value 6 steer 0
