-- slider crank whose crank follows a motion; a torque drives it
local l1, l2, m1, m2, m3, g = 0.15, 0.30, 0.36, 0.151104, 0.075552, param("g", 9.81)
local x, al, be = position("x", "alpha", "beta")
local xd, ad, bd = velocity(x), velocity(al), velocity(be)
local ax, ay = x + l2*cos(al), l2*sin(al)                 -- crank pin
local vx, vy = xd - l2*sin(al)*ad, l2*cos(al)*ad
-- rod: centre halfway
local rx, ry = xd - l2/2*sin(al)*ad, l2/2*cos(al)*ad
local cx, cy = vx - l1/2*sin(al+be)*(ad+bd), vy + l1/2*cos(al+be)*(ad+bd)
kinetic(m3/2*xd^2 + m2/2*(rx^2+ry^2) + m2*l2^2/24*ad^2 + m1/2*(cx^2+cy^2) + m1*l1^2/24*(ad+bd)^2)
potential(m2*g*l2/2*sin(al) + m1*g*(l2*sin(al) + l1/2*sin(al+be)) + 0)

constraint("cx", x + l2*cos(al) + l1*cos(al+be))
constraint("cy", l2*sin(al) + l1*sin(al+be))
output("crank", al + be - math.pi)
output("slider", x)
local T = input("T", 0)
force(ad, T) force(bd, T)
motion(al + be - math.pi, 1 + 2*time + 0.3*sin(5*time))
guess{ x = 0.35, alpha = 2.7, beta = 1.5 }
simulate{ to = 0.4, every = 0.002, rtol = 1e-10 }
