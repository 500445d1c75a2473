-- The same with one sample of delay.
local x = position("x") mass(x, 1) local u = discrete("u", 0)
sample("control", {period = 0.1, set = {[u] = -4*x - 2*velocity(x)}})
force(x, delay("u1", u, "control", 1)) initial{x = 1, ["der(x)"] = 0}
-- value 5 x -.0090123029327164576
-- value 5 der(x) .030200629343932923
