-- a free beam that three forces bend: what the page shows is symmetric
planar()
local b = elastic("b", { beam = { from = {0, 0}, to = {1, 0}, EI = 10, EA = 1e5, mass_per_length = 1 }, modes = 3, damping = .02,
  frame = "chord", start = "quasistatic", nodes = { left = 0, middle = .5, right = 1 } })
free("f", ground, b, { at = {0, 0} })
wrench("up", ground, b.left, { at = {0, 0}, force = {0, 1} })
wrench("down", ground, b.middle, { at = {.5, 0}, force = {0, -2} })
wrench("up2", ground, b.right, { at = {1, 0}, force = {0, 1} })
simulate{ to = .01 }
