-- A disk and a ball roll on a plane, with a spring between them: nothing is drawn by the script.
gravity{0, 0, -9.81}
local disk = body("disk", { mass = 1, com = {0, 0, 0.5}, inertia = {0.0625, 0.125, 0.0625} })
local ball = body("ball", { mass = 1, com = {0, 1.5, 0.3}, inertia = {0.036, 0.036, 0.036}, color = "purple" })
local f = free("f", ground, disk, { at = {0, 0, 0.5} })
local h = free("h", ground, ball, { at = {0, 1.5, 0.3} })
rolling_disk("roll", disk, { at = {0, 0, 0.5}, axis = {0, 1, 0}, radius = 0.5 })
rolling_ball("rollball", ball, { at = {0, 1.5, 0.3}, radius = 0.3 })
spring("link", disk, ball, { from = {0, 0, 0.5}, to = {0, 1.5, 0.3}, stiffness = 20, damping = 1, length = 1 })
frame("mark", disk, { at = {0, 0, 0.5}, axis = {0, 1, 0} })
initial{ [f.w2] = 3 }
guess{ [f.q4] = 1, [h.q4] = 1 }
simulate{ to = 2, every = 0.02 }
