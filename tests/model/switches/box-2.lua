-- A box, 0.6 x 1, pushed with 2 N at a height of 0.9: it rests, or tips about its front edge from 3.27 N on.
local x, y, q = position("x", "y", "q") mass(x, 1) mass(y, 1) mass(q, 1.36/12)
force(y, -9.81) force(x, 2) force(q, -2*0.4*cos(q))
for name, c in pairs{rear = -0.3, front = 0.3} do
  local edge = unilateral(name, y + c*sin(q) - 0.5*cos(q), {friction = 0.5,
    slip = velocity(x) + (-c*sin(q) + 0.5*cos(q))*velocity(q)})
  output("N_" .. name, edge.f)
end
output("ax", acceleration(x)) output("ay", acceleration(y)) output("aq", acceleration(q))
initial{x = 0, y = 0.5, q = 0, ["der(x)"] = 0, ["der(y)"] = 0, ["der(q)"] = 0}
-- value 0 N_rear 1.905
-- value 0 N_front 7.9050000000000002
-- value 0 ax 0
-- value 0 ay 0
-- value 0 aq 0
