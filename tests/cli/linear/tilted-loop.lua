-- A four-bar loop in space whose last axis is tilted a little: a tolerance of that joint makes it move.
gravity{0, -9.81, 0}
local a = body("a", { mass = 1, com = {0, -0.5, 0}, inertia = {0.08, 0.01, 0.08} })
local b = body("b", { mass = 1, com = {0.6, -1, 0}, inertia = {0.01, 0.12, 0.12} })
local c = body("c", { mass = 1, com = {1.2, -0.5, 0}, inertia = {0.08, 0.01, 0.08} })
local A = revolute("A", ground, a, { at = {0, 0, 0}, axis = {0, 0, 1} })
revolute("B", a, b, { at = {0, -1, 0}, axis = {0, 0, 1} })
revolute("C", ground, c, { at = {1.2, 0, 0}, axis = {0, 0, 1} })
revolute("D", b, c, { at = {1.2, -1, 0}, axis = {0, 1e-6, 1}, tolerance = 1e-5 })
initial{ [A.q] = 0.4 }
simulate{ to = 1, rtol = 1e-7, every = 0.01 }
