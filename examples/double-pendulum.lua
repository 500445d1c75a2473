-- Two point masses hang on two rods, one below the other; two angles describe everything.
-- They are let go from the horizontal and soon move chaotically, while the energy stays the same.
-- Lagrange's equations come from the energies alone: there are no constraints and no forces to write.
local m1, m2 = param("m1", 1, "kg"), param("m2", 1, "kg")
local l1, l2 = param("l1", 1, "m"), param("l2", 1, "m")
local g = param("g", 9.81, "m/s^2")

local phi, psi = position("phi", "psi") -- from the downward vertical
local u, w = velocity(phi, psi)

local x1, y1 = l1*sin(phi), -l1*cos(phi)
local x2, y2 = x1 + l2*sin(psi), y1 - l2*cos(psi)

kinetic(m1/2 * l1^2*u^2)
kinetic(m2/2 * (l1^2*u^2 + l2^2*w^2 + 2*l1*l2*u*w*cos(phi - psi)))
potential(m1*g*y1 + m2*g*y2)

output("x1", x1)
output("y1", y1)
output("x2", x2)
output("y2", y2)
output("energy", energy())

draw.line("rods", {0, 0}, {x1, y1}, {x2, y2})
draw.point("first", {x1, y1}, { size = 0.12 })
draw.point("second", {x2, y2}, { size = 0.12, trace = true })

initial{ phi = pi/2, psi = pi/2, [u] = 0, [w] = 0 }
simulate{ to = 10, rtol = 1e-9, every = 0.02 }
