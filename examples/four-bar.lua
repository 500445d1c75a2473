-- Crank, coupler and rocker make a four-bar linkage: the crank turns, the rocker swings.
-- It starts with 12 rad/s, enough to carry its own weight around again and again.
-- The coupler's midpoint draws the closed curve (cx, cy) that designers of linkages look for.
local a, b, c, d = param("a", 1, "m"), param("b", 2, "m"), param("c", 2.5, "m"), param("d", 3, "m")
local rho = param("rho", 1, "kg/m") -- of the three bars
local g = param("g", 9.81, "m/s^2")

local phi, theta, psi = position("phi", "theta", "psi") -- crank, coupler, rocker from the x axis
local u, w, v = velocity(phi, theta, psi)

-- a uniform bar: half of m |velocity of its middle|^2 + m l^2/12 turn^2
kinetic(rho*a/2 * a^2/3*u^2)
kinetic(rho*b/2 * (a^2*u^2 + a*b*u*w*cos(phi - theta) + b^2/3*w^2))
kinetic(rho*c/2 * c^2/3*v^2)

local cx, cy = a*cos(phi) + b/2*cos(theta), a*sin(phi) + b/2*sin(theta)
potential(g*rho * (a*a/2*sin(phi) + b*cy + c*c/2*sin(psi)))

constraint("loop-x", a*cos(phi) + b*cos(theta) - d - c*cos(psi))
constraint("loop-y", a*sin(phi) + b*sin(theta) - c*sin(psi))

output("cx", cx)
output("cy", cy)
output("energy", energy())

draw.line("frame", {0, 0}, {d, 0}, { size = 0.02 })
draw.line("crank", {0, 0}, {a*cos(phi), a*sin(phi)}, { color = "blue" })
draw.line("coupler", {a*cos(phi), a*sin(phi)}, {d + c*cos(psi), c*sin(psi)}, { color = "orange" })
draw.line("rocker", {d, 0}, {d + c*cos(psi), c*sin(psi)}, { color = "green" })
draw.point("middle", {cx, cy}, { trace = true })

initial{ phi = 0, [u] = 12 }
guess{ theta = 1, psi = 2 }
simulate{ to = 2, rtol = 1e-8, every = 0.01 }
