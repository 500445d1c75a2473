-- An arm of N revolute joints, about z, y, y, x, y, x, ... in turn, that falls from a bent pose with
-- friction in its joints.
local N = setting("N", 6)
gravity{0, 0, -9.81}
local axes = { {0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0} }
local previous = ground
for i = 1, N do
  local link = body("b"..i, { mass = 4/i, com = {0.3*i - 0.15, 0.02, 0.01}, inertia = {0.01/i, 0.03/i, 0.03/i} })
  local j = revolute("j"..i, previous, link, { at = {0.3*(i - 1), 0, 0}, axis = axes[(i - 1)%6 + 1] })
  torsion("friction"..i, j, { damping = 0.5/i })
  initial{ [j.q] = 0.3 }
  previous = link
end
simulate{ to = 2, rtol = 1e-6 }
