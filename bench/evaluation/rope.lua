-- N rods of 1 m and 0.1 kg hang together and fall from a bent shape: revolute joints in the plane,
-- universal joints in space.
local N, plane = setting("N", 20), setting("plane", 0) == 1
gravity{0, 0, -9.81}
local previous = ground
for i = 1, N do
  local link = body("b"..i, { mass = 0.1, com = {i - 0.5, 0, 0}, inertia = {0.0001, 0.00833, 0.00833} })
  local at = {i - 1, 0, 0}
  if plane then
    local j = revolute("j"..i, previous, link, { at = at, axis = {0, 1, 0} })
    initial{ [j.q] = 0.02 }
  else
    local j = universal("j"..i, previous, link, { at = at, axis = {0, 1, 0}, axis2 = {0, 0, 1} })
    initial{ [j.q1] = 0.02, [j.q2] = 0.01 }
  end
  previous = link
end
simulate{ to = 1, rtol = 1e-6 }
