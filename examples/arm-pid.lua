-- A motor with a gear lifts an arm; a controller with proportional, integral and differential parts leads it.
-- The voltage is limited, so that the integral would wind up: the controller holds it back.
-- The reference rises smoothly; in the end the current carries the weight of arm and load.
gravity{0, 0, -9.81}
local m, L, load = param("m", 2, "kg"), param("L", 0.8, "m"), param("load", 1, "kg")
local target = input("target", 1)                                         -- rad above the horizontal

local beam = body("beam", { mass = m, com = {L/2, 0, 0}, inertia = {0, m*L^2/12, m*L^2/12} })
local bag = body("bag", { mass = load, com = {L, 0, 0} })
local hinge = revolute("hinge", ground, beam, { at = {0, 0, 0}, axis = {0, -1, 0} })
fixed("strap", beam, bag, { at = {L, 0, 0} })

local reference = lag("reference", target, 0.2)
local control = pid("control", { reference = reference, value = hinge.q,
                                 p = 60, i = 80, d = 12, filter = 0.02, limit = 24, windup = 0.1 })
local motor = actuator("motor", hinge, { voltage = control.out, resistance = 0.8, inductance = 2e-3,
                                         constant = 0.05, gear = 80 })
friction("bearing", hinge, { load = 20, coefficient = 0.1, radius = 0.03, speed = 0.05 })

output("error", control.error, "rad")
output("voltage", motor.u, "V")
output("torque", motor.f, "N m")
output("hinge", hinge)

local tip = point(bag, {L, 0, 0})
output("tip", tip, "position", "acceleration")
draw.sphere("bag", {L, 0, 0}, { body = bag, radius = 0.08, color = "orange", trace = true })

initial{ [hinge.q] = -pi/2, ["reference"] = -pi/2 }
simulate{ to = 4, rtol = 1e-7, every = 0.02 }
