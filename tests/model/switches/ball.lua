-- A ball that bounces: g = 9.81, 1 m, e = 0.8.
local y = position("y") mass(y, 1) force(y, -9.81)
unilateral("floor", y, {restitution = 0.8})
event("apex", velocity(y), {direction = "falling"})
initial{y = 1, ["der(y)"] = 0}
-- event floor.impact 1 .4515236409857309
-- event floor.impact 2 1.1739614665629004
-- event floor.impact 3 1.7519117270246359
-- event floor.impact 10 3.5788929510204383
-- value 2.7321153687677393 y .1073741824
-- value 3 y .068707460965765722
-- count floor.impact 10 3.6
