-- A chain of point masses: bodies without inertia keep their joint coordinates.
planar()
gravity{0, -9.81}
local before = ground
for i = 1, 4 do
  local rod = body("rod" .. i, { mass = 1, com = {i, 0} })
  revolute("p" .. i, before, rod, { at = {i - 1, 0} })
  before = rod
end
simulate{ to = 1, rtol = 1e-8, every = 0.01 }
