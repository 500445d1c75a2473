-- A flyball governor: two rods with heavy ends turn with a shaft; the faster, the higher they rise.
-- Stiff springs pull a slider after them: 800 000 N/m and strong dampers, with time constants from a tenth of
-- a millisecond to a second. Nobody twists the shaft: its angular momentum stays the same.
gravity{0, 0, -9.81}
local K, C = param("K", 8e5, "N/m"), param("C", 4e4, "N s/m")
local e = 0.05 -- from the shaft's axis to the hinges

-- a homogeneous cuboid
local function cuboid(name, m, com, a, b, c)
  return body(name, { mass = m, com = com, inertia = {m/12*(b^2 + c^2), m/12*(a^2 + c^2), m/12*(a^2 + b^2)} })
end

local shaft = cuboid("shaft", 0.3, {0, 0, 0.5}, 0.01, 0.01, 1)
local slider = cuboid("slider", 3, {0, 0, 0.5}, 0.1, 0.1, 0.1)
local bearing = revolute("bearing", ground, shaft, { at = {0, 0, 0}, axis = {0, 0, 1} })
prismatic("slide", shaft, slider, { at = {0, 0, 0.5}, axis = {0, 0, 1} })

-- rods and balls, drawn level; their hinges turn downwards
for i, side in ipairs{ 1, -1 } do
  local rod = cuboid("rod" .. i, 0.3, {side*(e + 0.5), 0, 1}, 1, 0.01, 0.01)
  local ball = body("ball" .. i, { mass = 5, com = {side*(e + 1), 0, 1} })
  local hinge = revolute("hinge" .. i, shaft, rod, { at = {side*e, 0, 1}, axis = {0, side, 0} })
  fixed("weld" .. i, rod, ball)
  spring("coupler" .. i, slider, rod,
    { from = {side*e, 0, 0.5}, to = {side*(e + 0.5), 0, 1}, stiffness = K, damping = C, length = 0.5 })
  initial{ [hinge.q] = pi/6, [hinge.qd] = 0 }
end

output("s", point(slider, {0, 0, 0.5}).z)
output("energy", energy())

initial{ [bearing.q] = 0, [bearing.qd] = 2*pi, ["slide.q"] = 0, ["der(slide.q)"] = 0 }
simulate{ to = 2, rtol = 1e-8, every = 0.01 }
