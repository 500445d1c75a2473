-- a pendulum that says nothing about its run
local x, y = position("x", "y")
kinetic(0.5*(velocity(x)^2 + velocity(y)^2))
potential(9.81*y)
constraint("rod", x^2 + y^2 - 1)
initial{ x = 1, y = 0 }
