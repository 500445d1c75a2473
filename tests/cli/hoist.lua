-- the load of a crane follows a path
local s, l, x, y = position("s", "l", "x", "y")   -- trolley, rope, load
kinetic(10/2*velocity(s)^2 + 0.1/2*velocity(l)^2 + 100/2*(velocity(x)^2 + velocity(y)^2))
potential(100*9.81*y)
constraint("rope", (x - s)^2 + y^2 - l^2)
force(velocity(s), input("trolley", 0))
force(velocity(l), input("winch", 0))
local q = time/3
local part = q^5*(126 - 420*q + 540*q^2 - 315*q^3 + 70*q^4)   -- four derivatives vanish at both ends
motion(x, 5*part)
motion(y, -4 + 2*part)
guess{ s = 0, l = 4, x = 0, y = -4 }
simulate{ to = 3, rtol = 1e-9 }
