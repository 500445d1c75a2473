-- The slider-crank once more, drawn as bodies and joints instead of written as equations.
-- The drawing shows crank and rod stretched along the x axis: there all coordinates are zero.
-- The last joint finds both of its bodies hanging already; it closes the loop.
planar()
local m1, m2, m3 = param("m1", 0.36, "kg"), param("m2", 0.151104, "kg"), param("m3", 0.075552, "kg")
local l1, l2 = param("l1", 0.15, "m"), param("l2", 0.3, "m")
gravity{0, -param("g", 9.81, "m/s^2")}

-- uniform bars; the slider only shifts, so that it needs no inertia
local crank = body("crank", { mass = m1, com = {l1/2, 0}, inertia = m1*l1^2/12 })
local rod = body("rod", { mass = m2, com = {l1 + l2/2, 0}, inertia = m2*l2^2/12 })
local slider = body("slider", { mass = m3, com = {l1 + l2, 0} })

local bearing = revolute("bearing", ground, crank, { at = {0, 0} })
local pin = revolute("pin", crank, rod, { at = {l1, 0} })
prismatic("guide", ground, slider, { at = {l1 + l2, 0}, axis = {1, 0} })
local wrist = revolute("wrist", rod, slider, { at = {l1 + l2, 0} })

output("x", point(slider, {l1 + l2, 0}).x, "m")
output("wrist-force", sqrt(wrist.lambda1^2 + wrist.lambda2^2), "N")
output("bearing", bearing) -- force and torque of the joint on the crank
output("energy", energy(), "J")

-- bodies and joints draw themselves; this is the path of the middle of the rod
draw.point("middle", {l1 + l2/2, 0}, { body = rod, size = 0.015, color = "black", trace = true })

initial{ [bearing.q] = pi/2, [bearing.qd] = 10 }
guess{ [pin.q] = -pi/2 - 0.5, ["guide.q"] = -0.2 }
simulate{ to = 2, rtol = 1e-8, every = 0.01 }
