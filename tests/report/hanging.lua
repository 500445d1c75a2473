-- a trolley with a load on a rope
local d = param("d", 0.4, "N s/m")
local s, x, y = position("s", "x", "y")
kinetic(2/2*velocity(s)^2 + 1/2*(velocity(x)^2 + velocity(y)^2))
potential(9.81*y)
constraint("rope", (x - s)^2 + y^2 - 1)
force(velocity(s), input("drive", 0) - d*velocity(s))
output("load", x)
output("trolley", s)
draw.line("rope", {s, 0}, {x, y})
draw.point("load", {x, y})
guess{ s = 0, x = 0.3, y = -0.9 }
simulate{ to = 1 }
