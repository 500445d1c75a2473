-- Three rods on hook joints, whose crosses have no mass.
gravity{0, 0, -9.81}
local before = ground
for i = 1, 3 do
  local cross = body("cross" .. i, {})
  local rod = body("rod" .. i, { mass = 1, com = {i - 0.5, 0, 0}, inertia = {0.01, 0.1, 0.1} })
  revolute("y" .. i, before, cross, { at = {i - 1, 0, 0}, axis = {0, 1, 0} })
  revolute("z" .. i, cross, rod, { at = {i - 1, 0, 0}, axis = {0, 0, 1} })
  before = rod
end
initial{ ["z2.q"] = 0.3 , ["der(z1.q)"] = 1}
simulate{ to = 1, rtol = 1e-8, every = 0.01 }
