-- Coupled masses, a constraint, and events that give velocities new values.
local p, q, r = position("p", "q", "r")
kinetic(0.5*velocity(p)^2 + velocity(q)^2 + 0.4*velocity(p)*velocity(q) + 0.5*velocity(r)^2 + 0.2*velocity(q)*velocity(r))
potential(2*p^2 + q^2 + 3*r^2)
constraint("c", p + q*q - r - 1)
initial{ p = 1, q = 0.5 }
event("kick", time - 1, { set = { [velocity(p)] = 2 } })
event("hit", r, { direction = "falling", set = { [velocity(r)] = -0.9*velocity(r) } })
simulate{ to = 3, rtol = 1e-8, every = 0.01 }
