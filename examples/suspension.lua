-- A wheel on two wishbones rolls over a bump: spring and damper, a tyre, and a rubber stop for large strokes.
-- Seen from behind, a quarter of the car; the road lifts the tyre, the upper ball joint closes the loop.
-- The outputs show the spring, the load on the road and what the lower ball joint carries.
planar()
gravity{0, -9.81}

local car = body("car", { mass = 300, com = {0, 0.6} })
local lower = body("lower", { mass = 4, com = {0.45, 0.25}, inertia = 0.05 })
local upper = body("upper", { mass = 3, com = {0.45, 0.5}, inertia = 0.03 })
local wheel = body("wheel", { mass = 35, com = {0.7, 0.3}, inertia = 0.8 })
local road = body("road")

local heave = prismatic("heave", ground, car, { at = {0, 0.6}, axis = {0, 1} })
local arm = revolute("arm", car, lower, { at = {0.2, 0.3} })
revolute("arm2", car, upper, { at = {0.25, 0.5} })
local ball = revolute("ball", lower, wheel, { at = {0.65, 0.2} })
local ball2 = revolute("ball2", upper, wheel, { at = {0.6, 0.55} })       -- closes the loop

local bump = 0.08/(1 + ((time - 1)/0.06)^4)                               -- 80 mm high
local lift = prismatic("lift", ground, road, { at = {0.7, 0}, axis = {0, 1}, motion = bump })

local strut = spring("strut", car, lower, { from = {0.3, 0.7}, to = {0.5, 0.233},
                                            stiffness = 40e3, damping = 4000, length = 0.61 })
local tyre = spring("tyre", road, wheel, { from = {0.7, 0}, to = {0.7, 0.3}, stiffness = 200e3, damping = 150 })
local stop = impact("stop", car, lower, { at = {0.5, 0.233}, plane = {0.5, 0.26}, normal = {0, -1},
                                          stiffness = 5e7, exponent = 2, damping = 0.3 })

local c = point(wheel, {0.7, 0.3})
local load = -tyre.f*(c.y - lift.q)/tyre.l                                -- its vertical part
output("strut-force", strut.f, "N")
output("tyre-load", load, "N")
output("stop-force", stop.f, "N")
output("ball", ball)

-- what the dampers and the stop take, and what the road gives, explain how the energy changes
local excess = stop.f - 5e7*max(0, -stop.gap)^2
dynamic("taken", 4000*strut.ld^2 + 150*tyre.ld^2 - excess*stop.rate, "J")
dynamic("given", load*lift.qd, "J")
output("energy", energy(), "J")

draw.box("tyre", {0.75, 0.3}, { body = wheel, size = {0.2, 0.6}, color = "gray" })
draw.line("road", {0.5, 0}, {0.9, 0}, { body = road, size = 0.01 })

simulate{ to = 3, rtol = 1e-7, every = 0.01 }
