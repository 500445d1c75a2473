-- nothing holds z: no mass, no constraint, no force
local x, z = position("x", "z")
kinetic(0.5*velocity(x)^2)
