-- The same stop as a contact.
local x, y = position("x", "y") mass(x, 1) mass(y, 1)
force(y, -13.750371636040745)
constraint("rod", x^2 + y^2 - 1)
unilateral("wall", x + 0.6, {restitution = 0.8})
initial{x = 1, y = 0, ["der(x)"] = 0}
-- value 1 x .76509047297177587
-- value 1 y -.64392279674493921
-- event wall.impact 1 0.62728438683962218
-- event wall.impact 2 1.8769472556772475
-- event wall.impact 3 3.1545937535501172
-- event wall.impact 4 4.4761890907279511
-- event wall.impact 5 5.8489327364398394
-- event wall.impact 6 7.2742302163318628
-- count wall.impact 6 7.5
