-- A truck drives over a hump: wheels, chassis, cabin, and a loading area hinged at the back.
-- It is drawn standing on its springs, seen from a car beside it: two bodies without mass, the road under the
-- wheels, rise and sink again, first in front, 0.3 s later behind. All nod, and come to rest.
planar()
gravity{0, -9.81}
local rear, front = -2.06, 2.44 -- where the axles are; the centre of the chassis is above 0

local chassis = body("chassis", { mass = 3335, com = {0, 2}, inertia = 14313 })
local cabin = body("cabin", { mass = 1100, com = {2.74, 2.9}, inertia = 948 })
local area = body("area", { mass = 11515, com = {-1.46, 2.9}, inertia = 33000 })

-- chassis and cabin are guided: up and down, and nodding
local function guide(name, b, x, y)
  return joint(name, ground, b, { at = {x, y}, coordinates = {"lift", "nod"},
    pose = function(lift, nod) return {0, lift}, nod end })
end
guide("on-chassis", chassis, 0, 2)
guide("on-cabin", cabin, 2.74, 2.9)
local hinge = revolute("hinge", chassis, area, { at = {-3.07, 2.15} })

-- a spring with a damper: it pulls with k l + d l' + offset, so that it is slack where l = -offset/k
local function strut(name, a, from, b, to, k, d, offset)
  spring(name, a, b, { from = from, to = to, stiffness = k, damping = d, length = -offset/k })
end

-- road, wheel, and the springs below and above it
local function axle(name, x, mass, t0, tyre, leaf)
  local s = time - t0
  local road, wheel = body(name .. "-road"), body(name .. "-wheel", { mass = mass, com = {x, 0.5} })
  prismatic(name .. "-profile", ground, road,
    { at = {x, 0}, axis = {0, 1}, motion = select(s, 0.001*s^6*exp(-s), 0) })
  prismatic(name .. "-slide", ground, wheel, { at = {x, 0.5}, axis = {0, 1} })
  strut(name .. "-tyre", road, {x, 0}, wheel, {x, 0.5}, table.unpack(tyre))
  strut(name .. "-leaf", wheel, {x, 0.5}, chassis, {x, 0.66}, table.unpack(leaf))
end
axle("rear", rear, 1450, 6.5/15, {4.4e6, 600, -2329145.162}, {824700, 21593, -246872.662})
axle("front", front, 600, 2/15, {2.2e6, 300, -1147434.838}, {271100, 38537, -84924.838})

strut("cabin1", chassis, {1.94, 2}, cabin, {1.94, 2.9}, 135700, 12218, -127842.88235294)
strut("cabin2", chassis, {3.64, 2}, cabin, {3.64, 2.9}, 135700, 12218, -127208.11764706)
strut("lift", chassis, {0.98, 2}, area, {0.98, 2.9}, 900000, 38500, -854905.94111111)

output("area", point(area, {-1.46, 2.9}), "position", "angle")
output("hinge", hinge)

simulate{ to = 5, rtol = 1e-8, every = 0.02 } -- from rest, as it is drawn
