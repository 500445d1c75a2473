-- A cart under a controller that works in steps, with a count of its samples; it is pushed back where
-- it passes a mark, and its load is dropped on the way.
local k, d = param("k", 20), param("d", 4)
local x = position("x")
mass(x, 1)
local held, count, mark = discrete("held", 0), discrete("count", 0), discrete("mark", 0.3)
sample("control", { period = 0.05, set = { [held] = k*(1 - x) - d*velocity(x), [count] = count + 1 } })
force(x, held)
event("kick", x - mark, { direction = "rising", impulse = { [x] = -0.4 }, set = { [mark] = mark + 0.25 } })
event("slow", velocity(x), { direction = "falling", set = { [velocity(x)] = 0.5 } })
output("work", held*velocity(x))
initial{ x = 0, [velocity(x)] = 0.2 }
simulate{ to = 2, rtol = 1e-8, every = 0.1 }
