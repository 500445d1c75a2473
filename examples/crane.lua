-- A crane's trolley runs on a rail and carries a load on a rope; a drive pushes the trolley.
-- The push is an input: constant here, set with --set push=20, later driven from outside.
-- The load lags behind, then overtakes: this swinging is what crane drivers learn to avoid.
local M, m = param("M", 10, "kg"), param("m", 5, "kg") -- trolley and load
local L, g = param("L", 3, "m"), param("g", 9.81, "m/s^2")
local push = input("push", 10)

local x, phi = position("x", "phi") -- trolley, rope from the vertical
local v, w = velocity(x, phi)
local load_x, load_y = x + L*sin(phi), -L*cos(phi)

kinetic(M/2 * v^2)
kinetic(m/2 * (v^2 + 2*L*v*w*cos(phi) + L^2*w^2))
potential(m*g*load_y)
force(x, push)

output("load-x", load_x)
output("load-y", load_y)

draw.line("rail", {-1, 0}, {40, 0})
draw.box("trolley", {x, 0}, { size = {0.8, 0.4} })
draw.line("rope", {x, 0}, {load_x, load_y})
draw.box("load", {load_x, load_y}, { size = 0.5, angle = phi, trace = true })

initial{ x = 0, phi = 0, [v] = 0, [w] = 0 }
simulate{ to = 10, rtol = 1e-8, every = 0.02 }
