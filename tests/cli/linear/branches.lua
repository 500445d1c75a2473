-- A binary tree of bodies on hinges with damping: with tree matrices nothing fills in.
gravity{0, 0, -9.81}
local N = setting("N", 31)
local bodies, where = {}, {}
for i = 1, N do
  local parent = math.floor(i/2)
  local p = parent > 0 and where[parent] or {0, 0, 0}
  local side = i % 2 == 0 and 1 or -1
  local level = math.floor(math.log(i)/math.log(2) + 1e-9)
  local q = {p[1] + 0.5*side*0.7^level, p[2] + 0.3, p[3] - 0.5}
  where[i] = q
  bodies[i] = body("b" .. i, { mass = 1, com = {(p[1]+q[1])/2, (p[2]+q[2])/2, (p[3]+q[3])/2}, inertia = {0.1, 0.1, 0.1} })
  local j = revolute("j" .. i, parent > 0 and bodies[parent] or ground, bodies[i], { at = p, axis = i % 3 == 0 and {1, 0, 0} or {0, 1, 0} })
  torsion("t" .. i, j, { damping = 0.05 })
end
simulate{ to = 0.5, rtol = 1e-6, every = 0.1 }
