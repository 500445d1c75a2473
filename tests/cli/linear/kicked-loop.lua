-- A four-bar loop that events kick: a joint speed is given a new value, and the loop answers.
planar()
gravity{0, -9.81}
local a = body("a", { mass = 1, com = {0, -0.5}, inertia = 1/12 })
local b = body("b", { mass = 1, com = {0.6, -1}, inertia = 1/8 })
local c = body("c", { mass = 1, com = {1.2, -0.5}, inertia = 1/12 })
local A = revolute("A", ground, a, { at = {0, 0} })
revolute("B", a, b, { at = {0, -1} })
revolute("C", ground, c, { at = {1.2, 0} })
revolute("D", b, c, { at = {1.2, -1} })
initial{ [A.q] = 0.4 }
event("kick", time - 0.5, { set = { [A.qd] = 1.5 } })
simulate{ to = 1, rtol = 1e-8, every = 0.01 }
