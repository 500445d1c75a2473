-- A ball rolls on a turntable without slipping. It is not flung off: its centre goes round a small circle,
-- two turns for every seven of the table, whatever its mass and radius and wherever it starts.
-- The table slips through below it; the force that makes it roll points to the centre of the circle.
gravity{0, 0, -9.81}
local m, r = param("m", 1, "kg"), param("r", 0.1, "m")
local W = param("W", 3, "rad/s")

local disc = body("table", { mass = 10, com = {0, 0, 0}, inertia = {1, 1, 2} })
revolute("axle", ground, disc, { at = {0, 0, 0}, axis = {0, 0, 1}, motion = W*time })
local J = 2/5*m*r^2
local ball = body("ball", { mass = m, com = {1, 0, r}, inertia = {J, J, J} })
local f = free("f", ground, ball, { at = {1, 0, r} })
rolling_ball("roll", ball, { at = {1, 0, r}, radius = r, on = disc })

output("centre", point(ball, {1, 0, r}), "position")
draw.cylinder("plate", {0, 0, -0.01}, { length = 0.02, radius = 1.3, body = disc })
initial{ [f.v1] = 0.2, [f.v2] = 0 }
simulate{ to = 8, rtol = 1e-8, every = 0.02 }
