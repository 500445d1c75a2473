-- Chaplygin's sleigh: a body on two smooth runners and one knife edge that cannot move sideways.
-- It starts going ahead and turning, and ends going straight: all its energy goes into the run.
-- Nothing is lost on the way, although the turning dies out; the force of the edge is mu(edge).
local m, J = param("m", 1, "kg"), param("J", 0.5, "kg m^2")
local a = param("a", 0.3, "m") -- centre of mass ahead of the knife edge

local x, y, phi = position("x", "y", "phi") -- of the knife edge
local vx, vy, w = velocity(x, y, phi)

kinetic(m/2 * ((vx - a*w*sin(phi))^2 + (vy + a*w*cos(phi))^2) + J/2*w^2)
nonholonomic("edge", vy*cos(phi) - vx*sin(phi))

output("speed", vx*cos(phi) + vy*sin(phi))
output("energy", energy())

draw.box("body", {x + a*cos(phi), y + a*sin(phi)}, { size = {0.8, 0.4}, angle = phi, color = "sky" })
draw.point("edge", {x, y}, { size = 0.08, color = "vermillion", trace = true })

initial{ x = 0, y = 0, phi = 0, [vx] = 1, [w] = 1 }
simulate{ to = 10, rtol = 1e-8, every = 0.05 }
