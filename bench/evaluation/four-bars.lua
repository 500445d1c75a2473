-- N four-bars that hang side by side, each sharing an upright with the next (IFToMM benchmark A02).
local N = setting("N", 10)
planar()
gravity{0, -9.81}
local uprights = {}
for i = 0, N do
  local b = body("u"..i, { mass = 1, com = {i, -0.5}, inertia = 1/12 })
  local j = revolute("u"..i.."j", ground, b, { at = {i, 0} })
  initial{ [j.qd] = 1 }
  uprights[i] = b
end
for i = 0, N - 1 do
  local c = body("c"..i, { mass = 1, com = {i + 0.5, -1}, inertia = 1/12 })
  revolute("c"..i.."j", uprights[i], c, { at = {i, -1} })
  revolute("c"..i.."l", c, uprights[i + 1], { at = {i + 1, -1} })
end
simulate{ to = 2, rtol = 1e-6 }
