-- The same, later by 0.03 s.
local x = position("x") mass(x, 1) local u = discrete("u", 0)
sample("control", {period = 0.1, phase = 0.03, set = {[u] = -4*x - 2*velocity(x)}})
force(x, u) initial{x = 1, ["der(x)"] = 0}
-- value 5 x -.0062763169465527541
-- value 5 der(x) -.0035640764114688442
