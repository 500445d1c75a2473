-- a pendulum that stops where it turns back
local x, y = position("x", "y")
kinetic(0.5*(velocity(x)^2 + velocity(y)^2))
potential(9.81*y)
constraint("rod", x^2 + y^2 - 1)
event("bottom", x)
event("turned", velocity(x), {direction = 1, stop = true})
initial{ x = 1, y = 0 }
simulate{ to = 5, rtol = 1e-9 }
