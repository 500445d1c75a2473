-- one rod, said twice
local x, y = position("x", "y")
kinetic(0.5*(velocity(x)^2 + velocity(y)^2))
constraint("rod", x^2 + y^2 - 1)
constraint("again", 3*x^2 + 3*y^2 - 3)
initial{ x = 1, y = 0 }
