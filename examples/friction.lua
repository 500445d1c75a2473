-- A rod slides with its ends in two slots, one horizontal and one vertical, and comes to rest.
-- The friction w grows with the force on the slot, and that force depends on the friction again.
-- Such a law is written as it stands, 0 = residual, and `auxiliary` finds w in every moment.
local m, l = param("m", 2, "kg"), param("l", 0.5, "m") -- mass and half length
local g = param("g", 9.81, "m/s^2")
local mu, preload = param("mu", 0.04), param("preload", 5, "N")
local lever = param("lever", 0.5) -- how much friction itself presses on the slot
local slow = param("slow", 0.05, "m/s") -- friction changes its sign about here

local x, y, theta = position("x", "y", "theta") -- middle of the rod, angle from the vertical
local J = m*l^2/3
kinetic(m/2 * (velocity(x)^2 + velocity(y)^2) + J/2*velocity(theta)^2)
potential(m*g*y)
local slot = constraint("slot", y + l*cos(theta)) -- the upper end stays at height 0
constraint("guide", x - l*sin(theta))             -- the lower end stays below the origin

-- Coulomb friction at the upper end, smooth around rest
local sliding = velocity(x) + l*cos(theta)*velocity(theta)
local tau = tanh(sliding/slow)
local w = auxiliary("w", function(w)
  local load = sqrt(multiplier(slot)^2 + preload^2) + lever*w*tau
  return w - mu*load*tau
end)
force(x, -w)
force(theta, -w*l*cos(theta))

output("energy", energy())

draw.line("slots", {-1, 0}, {1, 0}, {0, 0}, {0, -1})
draw.line("rod", {x + l*sin(theta), y + l*cos(theta)}, {x - l*sin(theta), y - l*cos(theta)},
  { size = 0.04, color = "blue" })
draw.point("middle", {x, y}, { trace = true })

initial{ theta = 1, [velocity(theta)] = 0 }
guess{ x = 0.4, y = -0.3 }
simulate{ to = 5, rtol = 1e-8, every = 0.02 }
