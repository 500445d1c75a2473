-- A gear drives another one with backlash: teeth knock against each other on both sides.
-- You see the gap between them, how it closes, and the speeds before and after each knock.
-- Knocks lose energy, not momentum; small ones end in contact of the teeth.
local a, b = position("a", "b") -- angles of motor and load, at the same radius
mass(a, 1)
mass(b, 3)
force(a, 5*sin(4*time) - 0.5*velocity(a))
force(b, -0.5*velocity(b))

local teeth = stop("teeth", a - b, { lower = -0.05, upper = 0.05, restitution = 0.4 })
output("gap", teeth.gap)
output("contact", teeth.mode)
output("torque", teeth.f)

simulate{ to = 10, rtol = 1e-8, every = 0.01 }
