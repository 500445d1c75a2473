-- A four-bar in space whose third hinge is tilted by 1e-6: its joint allows the misfit. It starts at t = 2.
gravity{0, -9.81, 0}
local tilt = param("tilt", 1e-6)
local function bar(name, p, q)
  return body(name, { mass = 1, com = {(p[1] + q[1])/2, (p[2] + q[2])/2, 0}, inertia = {0.1, 0.1, 0.1} })
end
local A, B, C, D = {0, 0, 0}, {0.2, 0.4, 0}, {1, 0.6, 0}, {1, 0, 0}
local crank, coupler, rocker = bar("crank", A, B), bar("coupler", B, C), bar("rocker", C, D)
local j = revolute("j1", ground, crank, { at = A, axis = {0, 0, 1} })
revolute("j2", crank, coupler, { at = B, axis = {0, 0, 1} })
revolute("j3", coupler, rocker, { at = C, axis = {0, tilt, 1}, tolerance = 1e-5 })
revolute("j4", rocker, ground, { at = D, axis = {0, 0, 1} })
force(j.q, sin(3*time))
initial{ [j.qd] = 3 }
simulate{ from = 2, to = 3 }
