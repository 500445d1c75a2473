-- A walking robot: a trunk on four light legs, two at each end, that swing and step in turn on a stiff floor.
-- You see two legs carry the trunk while the other two swing forward; their massless feet follow the forces on them.
-- Explicit steps may be long then: try --method half-explicit without and with --set foot=0.05, which needs three times as many.
planar()
gravity{0, -9.81}
local foot = param("foot", 0, "kg")
local k, d = 8e3, 120 -- springs and dampers along the legs, N/m, N s/m
local swing, lift, pace = 0.2, 0.06, 2*math.pi -- rad, m, rad/s

local trunk = body("trunk", { mass = 20, inertia = 1.2, com = {0, 0.5}, shape = {"box", size = {1, 0.12}} })
local fly = free("fly", ground, trunk, { at = {0, 0.5} })
for i, hip in ipairs{ {-0.4, 0}, {-0.4, 1}, {0.4, 1}, {0.4, 0} } do
  local x, phase = hip[1], math.pi*hip[2]
  local leg = body("leg" .. i, { mass = 0, com = {x, 0.4} })
  local tip = body("tip" .. i, { mass = foot, com = {x, 0}, shape = {"sphere", radius = 0.02} })
  revolute("hip" .. i, trunk, leg, { at = {x, 0.5}, motion = swing*sin(pace*time + phase) })
  local reach = prismatic("reach" .. i, leg, tip, { at = {x, 0}, axis = {0, -1} })
  -- the leg is shorter while it swings forward
  local raised = cos(pace*time + phase)
  force(reach.q, -k*(reach.q + lift*max(0, raised)^2) - d*reach.qd)
  local floor = impact("floor" .. i, ground, tip, { at = {x, 0}, plane = {0, 0}, normal = {0, 1},
                                                   stiffness = 4e5, friction = 0.7, speed = 0.02 })
  output("load" .. i, floor.f, "N")
  local top, bottom = point(trunk, {x, 0.5}), point(tip, {x, 0})
  draw.line("shank" .. i, {top.x, top.y}, {bottom.x, bottom.y})
end
draw.line("floor", {-1, 0}, {4, 0})
initial{ [fly.q2] = 0.005 }
simulate{ to = 4, rtol = 1e-5, every = 0.02 }
