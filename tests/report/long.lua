-- A million rows of a swinging mass; one row in the middle has a peak that must not be lost.
local x = position("x")
kinetic(velocity(x)^2/2)
potential(x^2/2)
output("spike", exp(-(2000*(time - 500.123))^2))
draw.point("mass", {x, 0}, { trace = true })
initial{ x = 1, [velocity(x)] = 0 }
simulate{ to = 1000, rtol = 1e-6, every = 0.001 }
