-- A car of 9 bodies: a chassis that moves freely, four carriers on springs, four wheels on tyres that
-- are springs to the road with slip forces along and across.
local g = 9.81
gravity{0, 0, -g}
local chassis = body("chassis", { mass = 1200, com = {0, 0, 0.6}, inertia = {400, 1800, 2000} })
local f = free("f", ground, chassis, { at = {0, 0, 0.6} })
local function corner(name, x, y)
  local carrier = body("carrier"..name, { mass = 25, com = {x, y, 0.3}, inertia = {0.5, 0.5, 0.5} })
  local wheel = body("wheel"..name, { mass = 15, com = {x, y, 0.3}, inertia = {0.5, 1, 0.5} })
  local s = prismatic("strut"..name, chassis, carrier, { at = {x, y, 0.3}, axis = {0, 0, 1} })
  local w = revolute("spin"..name, carrier, wheel, { at = {x, y, 0.3}, axis = {0, 1, 0} })
  force(s.q, -25000*s.q - 2500*s.qd - 1200*g/4)
  local p = point(carrier, {x, y, 0.3})
  local load = 200000*(0.3 - p.z + 0.0167) - 500*p.vz
  local along = -load*tanh(2*(p.vx - 0.3*w.qd)/5)
  local across = -load*tanh(2*p.vy/5)
  wrench("tyre"..name, ground, carrier, { at = {x, y, 0.3}, force = {along, across, load} })
  force(w.q, -0.3*along)
  initial{ [w.qd] = 20/0.3 }
end
corner("fl", 1.3, 0.75) corner("fr", 1.3, -0.75) corner("rl", -1.4, 0.75) corner("rr", -1.4, -0.75)
initial{ [f.qd1] = 20, [f.qd3] = 0.2 }
simulate{ to = 2, rtol = 1e-6 }
