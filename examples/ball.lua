-- A ball with spin is thrown on the floor: it bounces, grips, slides and rolls.
-- You see the spin take over at each bounce until the ball rolls on at rest in height.
-- Friction acts during the bounces as well.
local g, r = param("g", 9.81), param("r", 0.1)
local x, y, turn = position("x", "y", "turn")
mass(x, 1)
mass(y, 1)
mass(turn, 0.4*r^2)
force(y, -g)

local slip = velocity(x) - r*velocity(turn)
local floor = unilateral("floor", y - r, { restitution = 0.7, friction = 0.2, slip = slip })
output("normal", floor.f)
output("grip", floor.friction)
output("slip", slip)
draw.sphere("ball", { x, y }, { radius = r })
draw.line("floor", {-1, 0}, {12, 0})

initial{ x = 0, y = 1, turn = 0, ["der(x)"] = 2, ["der(y)"] = 0, ["der(turn)"] = -40 }
simulate{ to = 6, rtol = 1e-8, every = 0.01 }
