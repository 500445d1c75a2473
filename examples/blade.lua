-- A tapered blade of a wind turbine, 30 m long, turns at the speed given: its frequencies rise with it.
-- A Campbell diagram: driftless modes blade.lua --over speed=0:3:13 --output campbell.html
-- The blade is a beam of second order, so that centrifugal forces stiffen it; root is clamped to the hub.
local speed = param("speed", 2, "rad/s")
local blade = elastic("blade", {
  beam = { from = {0, 0, 0}, to = {30, 0, 0}, EI = 2e9, EI2 = 6e8, EA = 6e9, GJ = 2e8, mass_per_length = 300,
           section_inertia = 150, elements = 30,
           taper = { x = {0, 0.3, 1}, mass = {1, 0.6, 0.15}, EI = {1, 0.3, 0.02}, EI2 = {1, 0.2, 0.01},
                     EA = {1, 0.6, 0.15}, GJ = {1, 0.2, 0.01} } },
  modes = 5, damping = 0.01, frame = "tangent", nodes = { root = 0, mid = 0.5, tip = 1 } })
revolute("hub", ground, blade.root, { at = {0, 0, 0}, axis = {0, 0, 1}, motion = speed*time })

output("flap", deflection(blade.tip, "z"), "m")
output("edge", deflection(blade.tip, "y"), "m")
output("moment", beam_load(blade.root, "moment2"), "N m")

initial{ [blade.q1] = 0.1 }
simulate{ to = 10, rtol = 1e-6, every = 0.05 }
