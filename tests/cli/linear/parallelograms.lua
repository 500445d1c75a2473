-- Parallelograms with three legs hang on each other, drawn upright and started from there: a leg of each is redundant, and
-- the start is far. What is not held stays as guessed, which absolute coordinates of bodies have no part in.
planar() gravity{0.2, -9.81}
local last = ground
for i = 1, 4 do
  local y = 1 - i
  local bar = body("bar" .. i, { mass = 2, com = {1, y - 1}, inertia = 0.5 })
  for k = 0, 2 do
    local leg = body("leg" .. i .. k, { mass = 0.5, com = {k, y - 0.5}, inertia = 0.05 })
    revolute("t" .. i .. k, last, leg, { at = {k, y} })
    revolute("b" .. i .. k, leg, bar, { at = {k, y - 1} })
  end
  last = bar
end
initial{ ["t10.q"] = 0.4, ["t20.q"] = -0.2, ["der(t20.q)"] = 1 }
simulate{ to = 0.3 }
