-- A sledge on three runners, two of them in line: one nonholonomic row is redundant; a trailer has holonomic ones.
local x, y, turn = position("x", "y", "turn")
local a, b = position("a", "b")
mass(x, 2) mass(y, 2) mass(turn, 0.5) mass(a, 1) mass(b, 1)
local side = -sin(turn)*velocity(x) + cos(turn)*velocity(y)
nonholonomic("left", side)
nonholonomic("right", 2*side)
force(x, 3*cos(turn)) force(y, 3*sin(turn)) force(turn, 0.8*sin(3*time))
force(b, -0.5)
constraint("bar", (x - a)^2 + (y - b)^2 - 1)
constraint("beam", 2*(x - a)^2 + 2*(y - b)^2 - 2)
initial{ x = 0, y = 0, turn = 0.3, a = -1, b = 0, ["der(x)"] = cos(0.3), ["der(turn)"] = 0.2 }
simulate{ to = 2, rtol = 1e-8, every = 0.01 }
