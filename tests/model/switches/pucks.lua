-- Two pucks with an elastic contact f = k depth^1.5 exchange their velocities.
planar()
local a = body("a", {mass = 1, com = {0, 0}, inertia = 0.01})
local b = body("b", {mass = 1, com = {1, 0}, inertia = 0.01})
local fa = translation("fa", ground, a, {at = {0, 0}})
local fb = translation("fb", ground, b, {at = {1, 0}})
local c = impact("c", a, b, {at = {1, 0}, radius = 0.05, center = {0, 0}, center_radius = 0.05, stiffness = 1e7})
event("touch", c.gap)
event("deepest", fb.qd1 - fa.qd1, {direction = "rising"})
output("gap", c.gap)
initial{[fa.qd1] = 1, [fb.qd1] = -1}
-- event touch 1 .45
-- event deepest 1 .45168246826375503
-- event touch 2 .4533649365275100502
-- count touch 2
-- value .45168246826375503 gap -.0022865252596366317
-- value 2 fa.q1 -1.0966350634724899
-- value 2 der(fa.q1) -1
-- value 2 fb.q1 1.0966350634724899
-- value 2 der(fb.q1) 1
