-- A pendulum that strikes a stop; elliptic functions. The speed before each impact is 0.8 of the one before.
local x, y = position("x", "y") mass(x, 1) mass(y, 1)
force(y, -13.750371636040745)
constraint("rod", x^2 + y^2 - 1)
local before = discrete("before", 0)
event("wall", x + 0.6, {direction = "falling", set = {[velocity(x)] = -0.8*velocity(x),
  [before] = sqrt(velocity(x)^2 + velocity(y)^2)}})
output("before_it", before)
initial{x = 1, y = 0, ["der(x)"] = 0}
-- value 1 x .76509047297177587
-- value 1 y -.64392279674493921
-- event wall 1 0.62728438683962218
-- value 1 before_it 4.6904791458512198
-- event wall 2 1.8769472556772475
-- value 2 before_it 3.7523833166809761
-- event wall 3 3.1545937535501172
-- value 3.5 before_it 3.0019066533447814
-- event wall 4 4.4761890907279511
-- value 5 before_it 2.4015253226758251
-- event wall 5 5.8489327364398394
-- value 6 before_it 1.9212202581406599
-- event wall 6 7.2742302163318628
-- value 7.5 before_it 1.5369762065125281
-- count wall 6
