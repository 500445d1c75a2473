-- A truck with its engine, its driver's seat and a loading area that is hinged to the chassis, over a hump.
-- Seven bodies, eleven coordinates and one constraint, as in the planar benchmark truck of Simeon, Grupp, Fuehrer and
-- Rentrop (1994); the numbers are our own. All x are fixed: bodies move up and down and turn.
local g = param("g", 9.81, "m/s^2")
local z1, z2, z3, a3, z4, a4, z5, a5, z6, z7, a7 = position("rear", "front", "chassis", "chassis_nod", "engine",
  "engine_nod", "cabin", "cabin_nod", "seat", "area", "area_nod")

-- mass, inertia, and where the centre of mass is along the truck
local m = { rear = 1450, front = 600, chassis = 3000, engine = 900, cabin = 800, seat = 90, area = 11500 }
local J = { chassis = 14000, engine = 250, cabin = 900, area = 33000 }
local at = { rear = -2, front = 2.4, chassis = 0, engine = 2.2, cabin = 2.6, seat = 2.9, area = -1.4 }
local body = {
  rear = {z1}, front = {z2}, chassis = {z3, a3}, engine = {z4, a4}, cabin = {z5, a5}, seat = {z6}, area = {z7, a7} }
local down = {} -- what springs carry at rest, as a force on each body and its moment
for name, q in pairs(body) do
  kinetic(m[name]/2*velocity(q[1])^2)
  if q[2] then kinetic(J[name]/2*velocity(q[2])^2) end
  potential(m[name]*g*q[1])
  down[name] = { m[name]*g, 0 }
end

-- the height of the point x of a body above its place at rest
local function height(name, x)
  local q, arm = body[name], x - at[name]
  return q[1] + (q[2] and arm*sin(q[2]) or 0)
end

-- a force F at rest at x, from the body above to the one below (nil: the road)
local function carry(above, below, x, F)
  down[above] = { down[above][1] - F, down[above][2] - F*(x - at[above]) }
  if below then down[below] = { down[below][1] + F, down[below][2] + F*(x - at[below]) } end
end

-- a spring with a damper at x, progressive, with the preload F; the road may move
local function strut(above, below, x, k, d, F, road, climb)
  carry(above, below, x, F)
  local l, ld, arms = height(above, x), 0, {}
  local function move(name, sign)
    local q = body[name]
    arms[#arms + 1] = { q[1], sign }
    if q[2] then arms[#arms + 1] = { q[2], sign*(x - at[name])*cos(q[2]) } end
  end
  move(above, 1)
  if below then
    l = l - height(below, x)
    move(below, -1)
  else
    l, ld = l - road, -climb
  end
  for _, arm in ipairs(arms) do ld = ld + arm[2]*velocity(arm[1]) end
  for _, arm in ipairs(arms) do
    force(arm[1], -arm[2]*(k*l*(1 + 20*l^2) + d*ld - F))
  end
end

-- two struts under a body, whose preloads balance its weight and moment
local function stand(name, below1, x1, k1, d1, below2, x2, k2, d2)
  local F, M = down[name][1], down[name][2]
  local F2 = (F*(at[name] - x1) + M)/(x2 - x1)
  strut(name, below1, x1, k1, d1, F - F2)
  strut(name, below2, x2, k2, d2, F2)
end

strut("seat", "cabin", at.seat, 8e3, 500, down.seat[1])
stand("cabin", "chassis", 1.9, 1.3e5, 1.2e4, "chassis", 3.6, 1.3e5, 1.2e4)
stand("engine", "chassis", 1.6, 9e5, 8e3, "chassis", 2.7, 9e5, 8e3)

-- a hinge behind and a lift in front carry the loading area
local hinge, lift = -3, 1
local on_lift = down.area[1]*(at.area - hinge)/(lift - hinge)
carry("area", "chassis", hinge, down.area[1] - on_lift)
strut("area", "chassis", lift, 9e5, 3.8e4, on_lift)
local joint = constraint("hinge", height("area", hinge) - height("chassis", hinge))

stand("chassis", "rear", at.rear, 8.2e5, 2.2e4, "front", at.front, 2.7e5, 3.8e4)

-- the hump comes 0.3 s later behind
local function tyre(name, k, d, t0)
  local s = time - t0
  strut(name, nil, at[name], k, d, down[name][1], select(s, 0.001*s^6*exp(-s), 0),
    select(s, 0.001*(6 - s)*s^5*exp(-s), 0))
end
tyre("rear", 4.4e6, 600, 6.5/15)
tyre("front", 2.2e6, 300, 2/15)

output("hinge-force", -multiplier(joint))
output("seat-lift", height("seat", at.seat))

simulate{ to = 20, rtol = 1e-8, every = 0.02 } -- from rest: all coordinates are zero where the springs carry all weights
