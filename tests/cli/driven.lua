local x = position("x")
kinetic(velocity(x)^2/2)
local F = input("push", 0)
force(velocity(x), F)
output("F", F)
simulate{ to = 3, rtol=1e-9 }
