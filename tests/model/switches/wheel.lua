-- A wheel over a road of straight pieces.
local y = position("y") kinetic(velocity(y)^2/2)
local road = lookup({0, 1, 1.2, 1.5, 1.6, 5}, {0, 0, .05, .05, 0, 0}, {kind = "linear"})
local slope = lookup({0, 1, 1, 1.2, 1.2, 1.5, 1.5, 1.6, 1.6, 5}, {0, 0, .25, .25, 0, 0, -.5, -.5, 0, 0},
                     {kind = "linear"})
force(y, 400*(road(10*time) - y) + 4*(10*slope(10*time) - velocity(y)))
-- value .12 y .0032187634237596269
-- value .12 der(y) .37932728621817176
-- value .15 y .021166202801629754
-- value .15 der(y) .77309624098636325
-- value .16 y .02794844871879381
-- value .16 der(y) .54698325585519324
-- value .5 y .01966591213569276
-- value .5 der(y) .10040226117212812
