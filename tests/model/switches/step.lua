-- 100 N from 1 to 1.05 s on 1 kg.
local x = position("x") kinetic(velocity(x)^2/2)
local on = select(time - 1, select(1.05 - time, 1, 0), 0)
force(x, 100*on)
event("on", on - 0.5)
-- event on 1 1
-- event on 2 1.05
-- count on 2
-- value 10 x 44.875
-- value 10 der(x) 5
