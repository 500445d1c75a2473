-- An elliptic cam lifts a flat follower, twice in every turn, against the follower's spring.
-- The contact point wanders along both bodies: touch.s1 and touch.s2 say where it is on them.
-- lambda(touch) is the force between them; it would change its sign where the follower lifts off.
local a, b = param("a", 0.05, "m"), param("b", 0.03, "m") -- half axes of the ellipse
local k = param("k", 2000, "N/m")
local preload = param("preload", 0.03, "m")

planar()
local cam = body("cam", { mass = 1, inertia = 0.01 })
local follower = body("follower", { mass = 0.2, com = {0, 0.1} })
local axle = revolute("axle", ground, cam, { at = {0, 0} })
local guide = prismatic("guide", ground, follower, { at = {0, 0.1}, axis = {0, 1} })

local touch, s = contact_curves("touch", cam, follower, {
  curve_a = function(s) return a*cos(s), b*sin(s) end,
  curve_b = function(s) return s, b end,               -- the flat face, as high as the cam in the drawing
  start = {pi/2, 0} })
potential(k/2*(guide.q + preload)^2)

output("energy", energy(), "J")
output("force", multiplier(touch), "N")

draw.point("contact", {a*cos(s), b*sin(s)}, { body = cam, size = 0.004, trace = true })

initial{ [axle.q] = 0, [axle.qd] = 20 }
simulate{ to = 1, rtol = 1e-8, every = 0.002 }
