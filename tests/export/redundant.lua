-- A pendulum whose rod is there twice: the constraints are redundant.
local x, y = position("x", "y")
mass(x, 1)
mass(y, 1)
force(y, -9.81)
constraint("rod", x^2 + y^2 - 1)
constraint("again", 2*x^2 + 2*y^2 - 2)
output("height", y)
initial{ x = 1, y = 0, [velocity(x)] = 0, [velocity(y)] = 0 }
simulate{ to = 1, rtol = 1e-8, every = 0.1 }
