-- x'' = -x' + u on x, from its periodic motion on.
local x = position("x") mass(x, 1) local u = discrete("u", 1)
force(x, u - velocity(x))
event("high", x - 0.1, {direction = "rising", set = {[u] = -1}})
event("low", x + 0.1, {direction = "falling", set = {[u] = 1}})
event("top", velocity(x), {direction = "falling"})
initial{x = -0.1, ["der(x)"] = -.61181155486530895}
-- event high 1 1.423623109730618
-- event low 1 2.847246219461236
-- event high 2 4.2708693291918536
-- event low 2 5.694492438922472
-- event high 3 7.1181155486530905
-- event low 3 8.5417386583837072
-- count high 3
-- count low 3
-- value 1.9009818455332281 x .23445281906269879
-- value 9 der(x) -0.019280915818730371
