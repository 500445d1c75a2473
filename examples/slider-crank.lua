-- A crank turns, a rod pushes a slider to and fro: the heart of every piston engine.
-- The crank starts straight up at 10 rad/s; gravity and the slider make it run unevenly.
-- Watch x swing between l2 - l1 and l2 + l1, and the force with which the crank pin pushes the rod.
local m1, m2, m3 = param("m1", 0.36, "kg"), param("m2", 0.151104, "kg"), param("m3", 0.075552, "kg")
local l1, l2 = param("l1", 0.15, "m"), param("l2", 0.3, "m")
local g = param("g", 9.81, "m/s^2")

-- angles of crank and rod from the x axis, position of the slider
local phi, theta, x = position("phi", "theta", "x")
local pin_x, pin_y = l1*cos(phi), l1*sin(phi)

-- uniform bars: m l^2/3 about an end, m l^2/12 about the middle
kinetic(m1*l1^2/6 * velocity(phi)^2)
kinetic(m2/2 * ((velocity(x) + l2/2*sin(theta)*velocity(theta))^2
                + (l2/2*cos(theta)*velocity(theta))^2 + l2^2/12*velocity(theta)^2))
kinetic(m3/2 * velocity(x)^2)
potential(g * (m1*pin_y/2 - m2*l2/2*sin(theta)))

-- the rod leads from the pin to the slider, which stays on the axis
local along = constraint("pin-x", pin_x + l2*cos(theta) - x)
local across = constraint("pin-y", pin_y + l2*sin(theta))

output("pin-force", sqrt(multiplier(along)^2 + multiplier(across)^2))
output("energy", energy())

draw.line("guide", {l2 - 2*l1, 0}, {l2 + 2*l1, 0}, { size = 0.002 })
draw.line("crank", {0, 0}, {pin_x, pin_y}, { size = 0.02, color = "blue" })
draw.line("rod", {pin_x, pin_y}, {x, 0}, { size = 0.014, color = "orange" })
draw.box("slider", {x, 0}, { size = {0.08, 0.05}, color = "green" })
draw.point("pin", {pin_x, pin_y}, { size = 0.02, color = "black", trace = true })

initial{ phi = pi/2, [velocity(phi)] = 10 }
guess{ x = 0.25, theta = -0.5 }
simulate{ to = 2, rtol = 1e-8, every = 0.01 }
