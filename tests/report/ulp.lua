-- A curve that varies by one unit in the last place, alone in its plot.
local x = position("x")
kinetic(velocity(x)^2 / 2)
output("one", select(time - 0.5, 1, 0.99999999999999989))
simulate{ to = 1, every = 0.1 }
