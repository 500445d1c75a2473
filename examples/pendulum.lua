-- A point mass swings on a rigid rod, described by its Cartesian coordinates x and y.
-- It is let go from the horizontal and needs almost exactly two seconds to swing there and back.
-- The rod stays exactly as long as it is; its force is the multiplier lambda(rod).
local m = param("m", 1, "kg")
local L = param("L", 1, "m")
local g = param("g", 13.75, "m/s^2")

local x, y = position("x", "y")
kinetic(m/2 * (velocity(x)^2 + velocity(y)^2))
potential(m*g*y)
constraint("rod", x^2 + y^2 - L^2)

draw.line("rod", {0, 0}, {x, y})
draw.point("bob", {x, y}, { size = 0.12, trace = true })

initial{ x = 1, y = 0 }
simulate{ to = 10, rtol = 1e-8, every = 0.05 }
