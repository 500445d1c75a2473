-- held values that contradict the constraint: 2^2 + 2^2 - 1 = 7
local x, y = position("x", "y")
kinetic(0.5*(velocity(x)^2 + velocity(y)^2))
constraint("rod", x^2 + y^2 - 1)
initial{ x = 2, y = 2 }
