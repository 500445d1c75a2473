-- Outputs that leave an axis little to show: constant, last bits, huge, tiny, not finite.
local x = position("x")
kinetic(velocity(x)^2 / 2)
force(x, -velocity(x))
initial{ x = 0, ["der(x)"] = 1 }
output("one", select(time - 0.5, 1, 0.99999999999999989))
output("large", 123456 + select(time - 0.5, 1, 0) * 1.5e-11)
output("constant", 3)
output("zero", 0)
output("huge", 1e290 * time)
output("tiny", 1e-290 * time)
output("denormal", 1e-320 * time)
output("signs", select(time - 0.5, 1.7e308, -1.7e308))
output("pole", 1 / (time - 0.5))
output("root", sqrt(time - 0.55))
simulate{ to = 1, every = 0.1 }
