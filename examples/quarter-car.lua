-- A quarter of a car drives over a measured road: a wheel, a spring with a damper, a quarter of the body.
-- The road is the file road.csv with the columns distance and height; signal makes a function of it.
-- After 20 m there is a speed bump: watch the force between tyre and road, and the comfort of the body.
local v = param("v", 10, "m/s")
local wheel, quarter = param("wheel", 40, "kg"), param("quarter", 350, "kg")
local tyre, k, d = param("tyre", 180000, "N/m"), param("k", 18000, "N/m"), param("d", 1500, "N s/m")
local road = signal("road.csv", "height", { time = "distance", kind = "linear", outside = "hold" })

-- heights above those at rest on a flat road
local w, b = position("w", "b")
local height = road(v*time)
kinetic(wheel/2*velocity(w)^2 + quarter/2*velocity(b)^2)
potential(tyre/2*(w - height)^2 + k/2*(b - w)^2)
force(w, d*(velocity(b) - velocity(w)))
force(b, d*(velocity(w) - velocity(b)))

output("road", height, "m")
output("load", (wheel + quarter)*9.81 - tyre*(w - height), "N") -- of the tyre; negative: it would lift off
output("comfort", acceleration(b), "m/s^2")
unit(w, "m")
unit(b, "m")

draw.point("contact", {v*time, height}, { color = "black", trace = true })
draw.spring("tyre", {v*time, height}, {v*time, w + 0.3})
draw.box("wheel", {v*time, w + 0.3}, { size = {0.3, 0.1} })
draw.spring("spring", {v*time, w + 0.3}, {v*time, b + 0.8})
draw.box("body", {v*time, b + 0.9}, { size = {1, 0.2}, color = "blue" })

initial{ w = 0, b = 0, [velocity(w)] = 0, [velocity(b)] = 0 }
simulate{ to = 3, rtol = 1e-6, every = 0.01 }
