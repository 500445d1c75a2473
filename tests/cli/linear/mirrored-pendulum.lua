-- A pendulum whose place and speed events assign: it slows down low, and is mirrored on the left.
local x, y = position("x", "y")
mass(x, 1) mass(y, 2)
force(y, -9.81*2)
force(x, -0.1*velocity(x))
constraint("rod", x^2 + y^2 - 1)
initial{ x = 1, y = 0 }
event("low", y + 0.8, {direction="falling", set = { [velocity(x)] = 0.5*velocity(x) }})
event("mirror", x + 0.3, {direction="falling", set = { [x] = 0.3, [velocity(x)] = velocity(x)}})
simulate{ to = 3, rtol = 1e-8, every = 0.01 }
