-- A slider-crank whose connecting rod bends: the crank turns at 150 rad/s, and inertia bends the rod by 1.6 mm.
-- The rod is a beam with elastic coordinates rod.q1 to rod.q4 relative to the chord between its nodes a and b.
-- Change its height or set first_order = true to see how much stiffer the pull along the rod makes it.
planar()
local l1, l2 = param("l1", 0.15, "m"), param("l2", 0.3, "m")
local height = param("height", 0.008, "m")
local crank = body("crank", { mass = 0.36, com = {l1/2, 0}, inertia = 0.002727 })
local rod = elastic("rod", {
  beam = { from = {l1, 0}, to = {l1 + l2, 0}, width = 0.008, height = height, E = 2e11, density = 7870 },
  modes = 4, damping = { beta = 2e-5 }, nodes = { a = 0, mid = 0.5, b = 1 } })
local slider = body("slider", { mass = 0.075552, com = {l1 + l2, 0} })

revolute("drive", ground, crank, { at = {0, 0}, motion = 150*time })
local pin = revolute("pin", crank, rod.a, { at = {l1, 0} })
local wrist = revolute("wrist", rod.b, slider, { at = {l1 + l2, 0} })
prismatic("guide", ground, slider, { at = {l1 + l2, 0}, axis = {1, 0} })

output("deflection", deflection(rod.mid), "m")
output("x", point(slider, {l1 + l2, 0}).x, "m")

-- straight, with the velocities of a rigid rod
initial{ [pin.q] = 0, [pin.qd] = -225, [wrist.qd] = 75 }
simulate{ to = 0.1, rtol = 1e-7, every = 2e-4 }
