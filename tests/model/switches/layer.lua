-- Through a layer of spring between 0.5 and 0.6 m that is soft at both ends.
local x = position("x") kinetic(velocity(x)^2/2)
force(x, -1000*max(0, x - 0.5)*max(0, 0.6 - x))
event("in", x - 0.5)
event("out", x - 0.6)
initial{x = 0, ["der(x)"] = 1}
-- event in 1 .5
-- event out 1 .61036035268929309
-- count in 1
-- count out 1
-- value 1 x .91813943982307723
-- value 1 der(x) .81649658092772603
