-- A train of fifty cars rolls over hills: wheels stay on the track, drawbars keep their length, one motion is left.
-- Every car is a body in the plane; a Lua loop builds any number of them, and sparse matrices keep long trains fast.
-- The cars ahead pull those behind over the crest, and are pushed by them down the slope: energy is conserved.
planar()
local N = setting("N", 50)
gravity{0, -9.81}

local half, axle, bar = 5, 3.5, 1 -- m: half a car, its axles, a drawbar
local function height(x) return 4*sin(x/25) + 2*sin(x/9) end
local function slope(x) return 4/25*cos(x/25) + 2/9*cos(x/9) end

local x, ahead = 0, nil
for i = 1, N do
  local car = body("car" .. i, { mass = 20000, com = {0, 0}, inertia = 170000 })
  planar_joint("free" .. i, ground, car, { at = {0, 0} })
  for k, place in ipairs{"front", "rear"} do
    local wheel = point(car, {k == 1 and axle or -axle, 0})
    constraint(place .. i, wheel.y - height(wheel.x))
  end
  if ahead then
    distance("bar" .. i, ahead, car, { at = {-half, 0}, at_b = {half, 0}, length = bar })
  end
  if i > 1 then
    guess{ ["free" .. i .. ".q1"] = x }
  end
  guess{ ["free" .. i .. ".q2"] = height(x), ["free" .. i .. ".q3"] = atan(slope(x)) }
  x = x - (2*half + bar)/sqrt(1 + slope(x)^2)
  ahead = car
end

output("lead", point(ahead, {0, 0}), "position")
output("energy", energy())

initial{ ["free1.q1"] = 0, ["der(free1.q1)"] = 12 }
simulate{ to = 20, rtol = 1e-6, every = 0.05 }
