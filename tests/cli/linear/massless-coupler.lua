-- A four-bar whose coupler has no mass, and a hook joint of a body without mass: constraints hold what has none.
planar()
gravity{0, -9.81}
local a = body("a", { mass = 1, com = {0, -0.5}, inertia = 1/12 })
local b = body("b", {})
local c = body("c", { mass = 2, com = {1.2, -0.6}, inertia = 1/5 })
local A = revolute("A", ground, a, { at = {0, 0} })
revolute("B", a, b, { at = {0, -1} })
local C = revolute("C", ground, c, { at = {1.2, 0} })
revolute("D", b, c, { at = {1.2, -1.1} })
effort("spring", C.q, -4*C.q)
initial{ [A.q] = 0.4 }
simulate{ to = 1, rtol = 1e-8, every = 0.01 }
