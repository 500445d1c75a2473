-- A Geneva drive: the pin of a turning crank moves a wheel with four slots by a quarter turn, then leaves it locked.
-- You see the wheel wait for three quarters of each turn, and the crank slow down while it moves the wheel.
-- The pin enters along the slot: rows of constraints are switched on and off without an impact, and the energy stays.
local a, c = 1, sqrt(2) -- radius of the pin, distance of the axes in radii: four slots
local crank, wheel = position("crank", "wheel")
mass(crank, param("J1", 1, "kg m^2"))
mass(wheel, param("J2", 0.2, "kg m^2"))

local engaged = discrete("engaged", 0) -- the pin is in a slot
local turned = discrete("turned", 0) -- quarter turns of the wheel
local own = wheel - turned*math.pi/2 -- the slot, seen from the line between the axes
constraint("slot", (c - a*cos(crank))*sin(own) - a*sin(crank)*cos(own), { active = engaged })
constraint("lock", own + math.pi/4, { active = 1 - engaged })
local reach = cos(crank) - cos(math.pi/4)
event("enters", reach, { direction = "rising", set = { [engaged] = 1 } })
event("leaves", reach, { direction = "falling", set = { [engaged] = 0, [turned] = turned + 1 } })

output("speed", velocity(wheel), "rad/s")
draw.line("crank", {0, 0}, {a*cos(crank), a*sin(crank)})
draw.point("pin", {a*cos(crank), a*sin(crank)})
for k = 0, 3 do
  local angle = math.pi - wheel + k*math.pi/2
  draw.line("slot" .. k, {c + 0.3*cos(angle), 0.3*sin(angle)}, {c + cos(angle), sin(angle)})
end

initial{ crank = math.pi, wheel = -math.pi/4, ["der(crank)"] = 2*math.pi, ["der(wheel)"] = 0 }
simulate{ to = 5, rtol = 1e-8, every = 0.01 }
