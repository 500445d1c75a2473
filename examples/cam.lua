-- A cam lifts a valve against its spring; the cam's profile is a table of measured points.
-- A smooth curve through the table, a spline, gives the lift and everything derived from it.
-- Events note when the valve opens and closes; lambda(cam) is the force between cam and valve.
local m, k = param("m", 0.1, "kg"), param("k", 8000, "N/m")
local preload = param("preload", 0.02, "m") -- the spring is compressed by this when closed
local rpm = param("rpm", 1200)

-- lift in metres against the angle of the cam in degrees
local lift = spline({ 0, 20,    40,    60,    80,    100,   120,   140,   160,   180 },
                    { 0, .0003, .0012, .0035, .0071, .0071, .0035, .0012, .0003, 0 })

local y = position("y")
kinetic(m/2 * velocity(y)^2)
potential(k/2 * (y + preload)^2)

local angle = 6*rpm*time -- degrees; 1 rpm is 6 degrees per second
local cam = constraint("cam", y - lift(angle))

output("angle", angle)
event("opens", y - 0.0012, { direction = "rising" })
event("closes", y - 0.0012, { direction = "falling" })
event("lifts-off", multiplier(cam), { stop = true }) -- the cam can push, not pull

draw.box("valve", {0, y}, { size = {0.02, 0.004} })
draw.spring("spring", {0, y}, {0, 0.03})

simulate{ to = 0.025, rtol = 1e-8, every = 0.0001 }
