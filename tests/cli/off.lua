-- a pendulum that is held off its circle
local x, y = position("x", "y")
kinetic((velocity(x)^2 + velocity(y)^2)/2)
potential(9.81*y)
constraint("rod", x^2 + y^2 - 1)
initial{ x = 0, y = -1.1, [velocity(x)] = 0.5 }
simulate{ to = 1 }
