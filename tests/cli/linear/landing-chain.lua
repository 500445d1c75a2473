-- A chain of hinged links falls onto a floor: two pins stay there, and one of them rubs.
planar()
gravity{0, -9.81}
local N, before = setting("N", 3), ground
for i = 1, N do
  local link = body("link" .. i, { mass = 1, com = {i - 0.5, 0}, inertia = 1/12 })
  revolute("pin" .. i, before, link, { at = {i - 1, 0} })
  local tip = point(link, {i, 0})
  if i >= N - 1 then
    unilateral("floor" .. i, tip.y + 0.8, { friction = i == N and 0.4 or nil, slip = i == N and tip.vx or nil })
  end
  before = link
end
simulate{ to = 0.8, rtol = 1e-8, every = 0.01 }
