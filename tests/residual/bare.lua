-- A mass on a line, without any parameter.
local x, y = position("x", "y")
kinetic((velocity(x)^2 + velocity(y)^2)/2)
constraint("line", y - 2*x)
force(y, -9.81 - y)
initial{ x = 0, [velocity(x)] = 1 }
simulate{ to = 1, rtol = 1e-8, every = 0.1 }
