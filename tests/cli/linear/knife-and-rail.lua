-- A rail holds what a runner holds as well: the runner's row is redundant, the rail's holds the place.
local x, y, turn = position("x", "y", "turn")
mass(x, 2) mass(y, 2) mass(turn, 0.5)
nonholonomic("runner", velocity(y) - 0.5*velocity(x))
constraint("rail", y - 0.5*x)
force(x, 3 - velocity(x)) force(turn, -turn)
initial{ x = 0, turn = 0.3 }
simulate{ to = 2, rtol = 1e-8, every = 0.01 }
