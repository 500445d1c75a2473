-- A slider-crank that hits a wall: the impulse goes through its constraints.
local x, y, q = position("x", "y", "q")
mass(x, 1) mass(y, 1) mass(q, 2)
constraint("crank", x^2 + y^2 - 1)
constraint("rod", (q - x)^2 + y^2 - 4)
unilateral("wall", 2.3027756377319946 - q, {restitution = 0.5})
output("energy", energy())
initial{x = 0.5, y = sqrt(3)/2, ["der(x)"] = sqrt(3), ["der(y)"] = -1}
guess{q = 2.3}
-- count wall.impact 1 0
-- value 0 der(x) -.86602540378443865
-- value 0 der(y) .5
-- value 0 der(q) -1.1062176344920693
-- value 0 energy 1.7237174548612295
