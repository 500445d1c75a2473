-- A block breaks away where a force that grows passes the static friction.
local x = position("x") mass(x, 1) force(x, 2*time)
local f = friction("dry", x, {load = 1, coefficient = 0.8, static = 1})
event("slips", f.mode - 0.5)
-- event slips 1 .5
-- count slips 1
-- value 2 x 1.35
-- value 2 der(x) 2.55
