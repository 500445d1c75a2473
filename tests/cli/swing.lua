-- a pendulum that says everything
local m = param("m", 1, "kg")
local g = param("g", 9.81, "m/s^2")
local x, y = position("x", "y")
kinetic(m/2 * (velocity(x)^2 + velocity(y)^2))
potential(m*g*y)
constraint("rod", x^2 + y^2 - 1)
output("height", y + 1)
initial{ x = 1, y = 0 }
simulate{ to = 2, every = 0.1, rtol = 1e-6 }
