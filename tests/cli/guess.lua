local x, y = position("x", "y")
kinetic(0.5*(velocity(x)^2 + velocity(y)^2))
potential(9.81*y)
constraint("rod", x^2 + y^2 - 1)
initial{ x = 0.6, ["der(y)"] = 1.1 }
guess{ y = -0.7 }
