-- The outer loop every 5 ms, then the inner one every 1 ms.
local x = position("x") mass(x, 1)
local u, vref = discrete("u", 0), discrete("vref", 0)
force(x, u - 2*velocity(x))
sample("outer", {period = 0.005, set = {[vref] = 10*(1 - x)}})
sample("inner", {period = 0.001, set = {[u] = 200*(vref - velocity(x))}})
initial{x = 0, ["der(x)"] = 0}
-- value .1 x .63746513656415531
-- value .1 der(x) 3.8885156475193716
-- value 1 x .99997569320655336
-- value 1 der(x) 2.6071243478827136e-4
