-- A force that jumps with the sign of a speed holds it.
local x = position("x") mass(x, 1)
force(x, -sign(velocity(x)))
initial{x = 0, ["der(x)"] = 1}
-- value .5 x .375
-- value .99 x .49995
-- value .99 der(x) .01
-- value 3 x .5
-- value 3 der(x) 0
