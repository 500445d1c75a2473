-- x' = -x + u, u = -1 above 0.1 and +1 below -0.1; from -0.1 on.
local u = discrete("u", 1)
local x = dynamic("x", function(x) return u - x end)
event("high", x - 0.1, {direction = "rising", set = {[u] = -1}})
event("low", x + 0.1, {direction = "falling", set = {[u] = 1}})
initial{x = -0.1}
-- event high 1 0.20067069546215124
-- event low 1 0.40134139092430249
-- event high 2 0.60201208638645376
-- event low 2 0.80268278184860498
-- event high 3 1.0033534773107562
-- event low 3 1.2040241727729075
-- count high 5
-- count low 4
-- value 2 x -0.093943453051440473
