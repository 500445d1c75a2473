-- Two four-bars in space with tilted hinges: a tolerance acts on the loop of its joint alone.
gravity{0, -9.81, 0}
local function four_bar(name, z, tilt, allowed)
  local function bar(n, p, q)
    return body(name .. n, { mass = 1, com = {(p[1] + q[1])/2, (p[2] + q[2])/2, z}, inertia = {0.1, 0.1, 0.1} })
  end
  local A, B, C, D = {0, 0, z}, {0.2, 0.4, z}, {1.0, 0.6, z}, {1, 0, z}
  local a, b, c = bar("crank", A, B), bar("coupler", B, C), bar("rocker", C, D)
  local j = revolute(name .. "j1", ground, a, { at = A, axis = {0, 0, 1} })
  revolute(name .. "j2", a, b, { at = B, axis = {0, 0, 1} })
  revolute(name .. "j3", b, c, { at = C, axis = {0, tilt, 1}, tolerance = allowed })
  revolute(name .. "j4", c, ground, { at = D, axis = {0, 0, 1} })
  initial{ [j.qd] = setting(name .. "speed", 3) }
end
four_bar("a", 0, param("tilt-a", 1e-6), param("allowed-a", 1e-4))
four_bar("b", 2, param("tilt-b", 0), param("allowed-b", 0))
simulate{ to = 0.5 }
