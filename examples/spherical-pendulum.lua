-- A point mass on a string circles and swings at once: a pendulum in space.
-- Its height z goes up and down between two levels while the plane of the swing turns slowly.
-- The angular momentum about the vertical and the energy are shown as outputs; both stay the same.
local m = param("m", 1, "kg")
local L = param("L", 1, "m")
local g = param("g", 9.81, "m/s^2")

local x, y, z = position("x", "y", "z")
local vx, vy, vz = velocity(x, y, z)

kinetic(m/2 * (vx^2 + vy^2 + vz^2))
potential(m*g*z)
constraint("string", x^2 + y^2 + z^2 - L^2)

output("momentum", m*(x*vy - y*vx))
output("energy", energy())

draw.line("string", {0, 0, 0}, {x, y, z}, { size = 0.008 })
draw.sphere("bob", {x, y, z}, { radius = 0.06, trace = true })

initial{ x = 0.8, y = 0, [vx] = 0, [vy] = 1.2 }
guess{ z = -0.6 }
simulate{ to = 10, rtol = 1e-9, every = 0.02 }
