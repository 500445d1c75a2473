-- Blocks on springs with dampers, with nodes without mass between them, and arms that hang on the blocks.
planar() gravity{0, -9.81}
local N, last = setting("N", 4), ground
for i = 1, N do
  local node = body("node" .. i, { com = {2*i - 1, 0} })
  local block = body("block" .. i, { mass = 1, com = {2*i, 0}, inertia = 0.1 })
  local arm = body("arm" .. i, { mass = 0.5, com = {2*i, -0.5}, inertia = 0.05 })
  local f = prismatic("f" .. i, last, node, { at = {2*i - 1, 0}, axis = {1, 0} })
  local s = prismatic("s" .. i, node, block, { at = {2*i, 0}, axis = {1, 0} })
  revolute("r" .. i, block, arm, { at = {2*i, 0} })
  force(f.q, -1000*f.q - 2*f.qd + (i == N and 5*sin(10*time) or 0))
  force(s.q, -1000*s.q - 3*s.qd)
  initial{ ["f" .. i .. ".q"] = 0.02, ["r" .. i .. ".q"] = 0.3 }
  last = block
end
simulate{ to = 0.5, rtol = 1e-8, every = 0.05 }
