-- a spring whose law is known up to 0.5 m
local x0 = param("x0", 0.1)
local law = lookup({ -0.5, 0, 0.5 }, { 1, 0, -1 }, { kind = "linear", outside = "error" })
local x = position("x")
kinetic(velocity(x)^2/2)
force(x, law(x) + 1)
initial{ x = x0, [velocity(x)] = 0 }
simulate{ to = 3 }
