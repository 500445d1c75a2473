-- Two balls, the light one on top, fall together from 1 m.
local a, b = position("a", "b") mass(a, 0.6) mass(b, 0.06)
force(a, -0.6*9.81) force(b, -0.06*9.81)
unilateral("floor", a, {restitution = 1})
unilateral("between", b - a - 0.1, {restitution = 1})
initial{a = 1, b = 1.1, ["der(a)"] = 0, ["der(b)"] = 0}
-- event floor.impact 1 0.45152364098573089
-- event between.impact 1 0.45152364098573089
-- value 0.4615236409857309 der(b) 11.57953278400278
-- value 0.4615236409857309 der(a) 2.72063894786274
