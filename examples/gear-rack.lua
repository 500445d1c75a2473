-- A motor turns a pinion, the pinion a large wheel, and a second pinion on its shaft moves a rack.
-- The rack swings on a spring and carries all wheels with it: one oscillator, four bodies.
-- lambda(mesh) and lambda(teeth) are the forces in the gear and at the rack.
local J1, J2 = param("J1", 2e-4, "kg m^2"), param("J2", 5e-3, "kg m^2")
local m = param("m", 3, "kg")          -- of the rack
local ratio = param("ratio", 4)        -- turns of the motor for one of the wheel
local r = param("r", 0.03, "m")        -- pinion at the rack
local k = param("k", 500, "N/m")

planar()
local rotor = body("rotor", { mass = 0.5, inertia = J1 })
local wheel = body("wheel", { mass = 2, inertia = J2, com = {0.15, 0} })
local rack_body = body("rack", { mass = m, com = {0.15, -0.03} })
local motor = revolute("motor", ground, rotor, { at = {0, 0} })
local shaft = revolute("shaft", ground, wheel, { at = {0.15, 0} })
local slide = prismatic("slide", ground, rack_body, { at = {0.15, -0.03}, axis = {1, 0} })

gear("mesh", motor, shaft, { ratio = -ratio }) -- wheels that touch turn against each other
rack("teeth", shaft, slide, { radius = r })
potential(k/2*slide.q^2)

output("energy", energy(), "J")

-- the radii that belong to the ratio, instead of those that the inertias suggest
draw.cylinder("rotor", {0, 0}, { body = rotor, radius = 0.15/(1 + ratio), color = "blue" })
draw.cylinder("wheel", {0.15, 0}, { body = wheel, radius = 0.15*ratio/(1 + ratio), color = "green" })
draw.cylinder("pinion", {0.15, 0}, { body = wheel, radius = r, color = "sky" })
draw.box("rack", {0.15, -0.035}, { body = rack_body, size = {0.4, 0.01}, color = "orange" })
draw.spring("spring", {-0.2, -0.035}, {slide.q - 0.05, -0.035})

initial{ [slide.q] = 0, [slide.qd] = 1 }
simulate{ to = 2, rtol = 1e-8, every = 0.01 }
