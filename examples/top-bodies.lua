-- The heavy top once more, as one body on a ball joint: no constraint is left to be written down.
-- The joint has a quaternion (q1 to q4) and the angular velocity in axes of the body (w1 to w3).
-- It leans over, and its axis wanders around the vertical and nods; energy and quaternion are kept.
gravity{0, 0, -param("g", 9.81, "m/s^2")}
local m, l = param("m", 1, "kg"), param("l", 0.5, "m") -- mass, distance of its centre from the tip
local J1, J3 = param("J1", 1, "kg m^2"), param("J3", 0.4, "kg m^2") -- about the centre

-- drawn upright
local top = body("top", { mass = m, com = {0, 0, l}, inertia = {J1, J1, J3} })
local tip = spherical("tip", ground, top, { at = {0, 0, 0} })

local c = point(top, {0, 0, l})
invariant("energy", energy())
output("lean", acos(c.z/l), "rad")
output("tip", tip) -- the force on the top

draw.line("axis", {0, 0, 0}, {0, 0, 2*l}, { body = top, size = 0.03 })
draw.cylinder("top", {0, 0, l}, { body = top, radius = 0.25, length = 0.08 })
draw.point("end", {0, 0, 2*l}, { body = top, size = 0.03, trace = true })

-- leaning by 0.5 rad about the x axis, 20 rad/s about its own
initial{ [tip.q1] = cos(0.25), [tip.q2] = sin(0.25), [tip.q3] = 0, [tip.q4] = 0 }
initial{ [tip.w1] = 0, [tip.w2] = 0, [tip.w3] = 20 }
simulate{ to = 2, rtol = 1e-8, every = 0.005 }
