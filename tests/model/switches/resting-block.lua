-- A block on a slope of 0.17 rad rests for 100 s.
local x, y = position("x", "y") mass(x, 1) mass(y, 1)
force(x, -9.81*sin(0.17)) force(y, -9.81*cos(0.17))
local c = unilateral("slope", y, {friction = 0.3, slip = velocity(x)})
output("N", c.f)
initial{x = 0, y = 0, ["der(x)"] = 0, ["der(y)"] = 0}
-- value 100 x 0
-- value 100 der(x) 0
-- value 100 N 9.6685865633827923
-- value 100 mu(slope.friction) -1.6596788443472312
