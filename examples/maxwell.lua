-- A mass on a spring beside a Maxwell element: a second spring and a damper, one behind the other.
-- Slow motion only moves the damper, fast motion only the spring: so rubber and many plastics behave.
-- The force F of the element has a differential equation of its own, which `dynamic` declares.
local m, k = param("m", 1, "kg"), param("k", 20, "N/m")
local c, d = param("c", 50, "N/m"), param("d", 5, "N s/m") -- spring and damper of the element

local x = position("x")
local v = velocity(x)
kinetic(m/2 * v^2)
potential(k/2 * x^2)

-- stretching: v = F'/c + F/d
local F = dynamic("F", function(F) return c*(v - F/d) end)
force(x, -F)

output("loss", F^2/d) -- power that the damper turns into heat

draw.spring("spring", {-0.5, 0}, {x, 0})
draw.box("mass", {x, 0}, { size = 0.1 })

initial{ x = 0.1, [v] = 0, F = 0 }
simulate{ to = 5, rtol = 1e-8, every = 0.01 }
