-- a point pushed by a measured force; the force is given for 3 s
local F = signal("force.csv", "F")
local x = position("x")
kinetic(velocity(x)^2/2)
force(x, F(time))
simulate{ to = 3, rtol = 1e-9, atol = 1e-9 }
