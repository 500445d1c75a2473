-- A controller every 0.1 s.
local x = position("x") mass(x, 1) local u = discrete("u", 0)
sample("control", {period = 0.1, set = {[u] = -4*x - 2*velocity(x)}})
force(x, u) initial{x = 1, ["der(x)"] = 0}
-- value 1 x .08771448830207786
-- value 1 der(x) -.85216145457809592
-- value 5 x -.0063670792416028762
-- value 5 der(x) -.0024867432585392939
