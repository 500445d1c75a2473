-- A portal crane: a frame of steel beams, 12 m wide and 6 m high, carries a load of 3 t that swings on a rope.
-- The frame has the static shapes of its feet and of the point where the rope hangs, and four modes beside them.
-- Change the section of the girder, or look at driftless modes portal-crane.lua --at equilibrium.
gravity{0, 0, -9.81}
local portal = elastic("portal", {
  section = { width = 0.3, height = 0.3, E = 2.1e11, density = 7850, elements = 6 }, damping = 0.03,
  points = { a = {0, 0, 0}, b = {0, 0, 6}, hook = {6, 0, 6}, c = {12, 0, 6}, d = {12, 0, 0} },
  beams = { { between = {"a", "b"} }, { between = {"b", "hook"} }, { between = {"hook", "c"} }, { between = {"c", "d"} } },
  interfaces = {"a", "hook", "d"}, modes = 4 })
local load = body("load", { mass = 3000, com = {6, 0, 2}, inertia = {500, 500, 500} })

fixed("left", ground, portal.a)
fixed("right", ground, portal.d)
local rope = universal("rope", portal.hook, load, { at = {6, 0, 6}, axis = {1, 0, 0}, axis2 = {0, 1, 0} })

output("sag", -deflection(portal.hook, "z"), "m")
output("sway", deflection(portal.hook, "x"), "m")
output("load", point(load, {6, 0, 2}).x, "m")

initial{ [rope.q2] = 0.1 }
simulate{ to = 10, rtol = 1e-6, every = 0.02 }
