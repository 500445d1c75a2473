-- The rolling coin once more, as one free body: a call says that it rolls on the table without slipping.
-- The joint has the place of the centre, a quaternion (q4 to q7), and the angular velocity in axes of the
-- coin (w1 to w3); how fast the centre moves follows. The energy stays the same.
gravity{0, 0, -param("g", 9.81, "m/s^2")}
local m, r = param("m", 1, "kg"), param("r", 1, "m")

-- drawn lying at the height r; the start stands it up
local coin = body("coin", { mass = m, com = {0, 0, r}, inertia = {m*r^2/4, m*r^2/4, m*r^2/2} })
local f = free("f", ground, coin, { at = {0, 0, r} })
rolling_disk("table", coin, { at = {0, 0, r}, axis = {0, 0, 1}, radius = r })

output("centre", point(coin, {0, 0, r}), "position", "velocity")
output("energy", energy())

-- tilted by 1.2 rad about the x axis
initial{ [f.q1] = 0, [f.q2] = 0, [f.q4] = cos(0.6), [f.q5] = sin(0.6), [f.q6] = 0, [f.q7] = 0 }
initial{ [f.w1] = 0.2, [f.w2] = 1.5, [f.w3] = -4 }
simulate{ to = 5, rtol = 1e-8, every = 0.02 }
