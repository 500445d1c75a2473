-- A mass between two stops with different stiffness, shaken by a force with kinks and a table.
local x, y = position("x", "y")
kinetic((velocity(x)^2 + velocity(y)^2)/2)
constraint("line", y - x)
local gap = max(x - 0.5, 0) - 2*max(-0.5 - x, 0)
force(x, -40*gap - 0.1*velocity(x) + select(sin(3*time), 1, -1))
force(y, lookup({0, 1, 2, 3}, {0, 1, -1, 0.5}, { kind = "linear" })(time))
output("gap", gap)
event("middle", x)
initial{ x = 0, [velocity(x)] = 1 }
simulate{ to = 3, rtol = 1e-8, every = 0.1 }
