-- Bricard's mechanism: five rods and six hinges along the edges of a cube, closed to a ring.
-- Counted joint by joint it should be rigid; in truth one condition repeats the others, and it moves.
-- The solver finds that out at the start, says so, and keeps every condition all the same.
gravity{0, -9.81, 0}
local m, w = 1, param("w", 0.1, "m") -- rods of 1 kg and 1 m, w thick

-- corners of the cube and, in each, the axis of the hinge there
local corner = { {0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1} }
local axis = { {0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0} }

-- a uniform rod from corner k to the next
local function rod(k)
  local a, b, com, inertia = corner[k], corner[k + 1], {}, {}
  for i = 1, 3 do
    com[i] = (a[i] + b[i])/2
    inertia[i] = a[i] ~= b[i] and m*w^2/6 or m*(1 + w^2)/12 -- along the rod, across it
  end
  return body("rod" .. k, { mass = m, com = com, inertia = inertia })
end

local before, rods = ground, {}
for k = 1, 5 do
  rods[k] = rod(k)
  revolute("hinge" .. k, before, rods[k], { at = corner[k], axis = axis[k] })
  before = rods[k]
end
revolute("hinge6", before, ground, { at = corner[6], axis = axis[6] }) -- closes the ring

local p = point(rods[3], corner[4])
output("P3", p, "position", "velocity")
output("energy", energy())

simulate{ to = 2, rtol = 1e-8, every = 0.02 } -- from rest, as it is drawn
