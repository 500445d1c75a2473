-- Two hinged bars with stops in their joints: contact along joint coordinates, which have no mass of their own.
planar()
gravity{0, -9.81}
local upper = body("upper", { mass = 2, com = {0.5, 0}, inertia = 0.2 })
local lower = body("lower", { mass = 1, com = {1.4, 0}, inertia = 0.1 })
local first = revolute("first", ground, upper, { at = {0, 0} })
local second = revolute("second", upper, lower, { at = {1, 0} })
stop("knee", second, { lower = -0.3, upper = 0.4, restitution = 0.5 })
stop("shoulder", first, { lower = -2, upper = 1, restitution = 0 })
simulate{ to = 1.5, rtol = 1e-8, every = 0.01 }
