-- A four-bar in space with a tilted hinge: rigid unless the misfit is allowed.
gravity{0, -9.81, 0}
local tilt, allowed = param("tilt", 1e-6), param("allowed", 0)
local function bar(n, p, q)
  return body(n, { mass = 1, com = {(p[1] + q[1])/2, (p[2] + q[2])/2, 0}, inertia = {0.1, 0.1, 0.1} })
end
local A, B, C, D = {0, 0, 0}, {0.2, 0.4, 0}, {1.0, 0.6, 0}, {1, 0, 0}
local a, b, c = bar("crank", A, B), bar("coupler", B, C), bar("rocker", C, D)
local j = revolute("j1", ground, a, { at = A, axis = {0, 0, 1} })
revolute("j2", a, b, { at = B, axis = {0, 0, 1} })
revolute("j3", b, c, { at = C, axis = {0, tilt, 1}, tolerance = allowed })
revolute("j4", c, ground, { at = D, axis = {0, 0, 1} })
initial{ [j.qd] = setting("speed", 3) }
simulate{ to = 0.5 }
