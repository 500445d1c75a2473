-- A bead in a bowl whose gravity turns from 5 s on; N is the multiplier of the bowl.
local x, y = position("x", "y") mass(x, 1) mass(y, 1)
local phi = 0.1*max(0, time - 5)
force(x, 9.81*sin(phi)) force(y, -9.81*cos(phi))
local bowl = constraint("bowl", (x^2 + y^2 - 1)/2)
local f = friction("rub", atan2(x, -y), {load = multiplier(bowl), coefficient = 0.2, static = 0.25})
event("right", f.v, {direction = "rising"})
event("releases", abs(f.mode) - 0.5, {direction = "rising"})
output("angle", abs(atan2(x, -y)))
initial{x = 1, y = 0, ["der(x)"] = 0, ["der(y)"] = 0}
-- event right 1 1.1011737001724367
-- event releases 1 8.390268412849618
-- value 1.1011737001724367 angle .77772417562453017
-- value 2.1149967125051161 angle .30367428522788781
-- value 3.1089985752864878 angle .09404817815809761
-- count right 1 4
-- value 4 angle .09404817815809761
-- value 8.3902 angle .09404817815809761
-- value 8.390268412849618 angle .09404817815809761
