-- Joints by equations, one on the ground and one between moving bodies: their rows have the names that sparse matrices give joints.
gravity{0, 0, -9.81}
local function upright(a, b, i, j) -- axes i of b and j of a are perpendicular
  return b.R[1][i]*a.R[1][j] + b.R[2][i]*a.R[2][j] + b.R[3][i]*a.R[3][j]
end
local function slide(a, b, s) -- b slides along x of a
  local d = { b.x - a.x - s*a.R[1][1], b.y - a.y - s*a.R[2][1], b.z - a.z - s*a.R[3][1] }
  return d[1], d[2], d[3], upright(a, b, 2, 3), upright(a, b, 1, 3), upright(a, b, 1, 2)
end
local arm = body("arm", { mass = 1, com = {0.5, 0, 0}, inertia = {0.01, 0.1, 0.1} })
revolute("hinge", ground, arm, { at = {0, 0, 0}, axis = {0, 1, 0} })
local bead = body("bead", { mass = 1, com = {1.5, 0, 0}, inertia = {0.01, 0.1, 0.1} })
joint("wire", arm, bead, { at = {1, 0, 0}, coordinates = {"s"}, residual = slide })
spring("spring", arm, bead, { from = {0, 0, 0.1}, to = {1.5, 0, 0.1}, stiffness = 50, damping = 1 })
local cart = body("cart", { mass = 1, com = {0, 1, 0}, inertia = {0.01, 0.1, 0.1} })
local s = joint("rail", ground, cart, { at = {0, 1, 0}, coordinates = {"s"}, residual = slide })
force(s, -20*s)
initial{ [s] = 0.1 }
simulate{ to = 0.7, rtol = 1e-8 }
