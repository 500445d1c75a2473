-- A cart on rails that are two redundant constraints, pushed by an input.
local m, far = param("m", 1, "kg"), param("far", 100, "m")
local x, y = position("x", "y")
local push = input("push", 0)
kinetic(m/2*(velocity(x)^2 + velocity(y)^2))
constraint("rail", y)
constraint("other-rail", 2*y)
force(x, push)
output("a", acceleration(x))
event("far-away", x - far, { stop = true })
initial{ x = 0, [velocity(x)] = 0 }
simulate{ to = 1, rtol = 1e-10, every = 0.1 }
