-- One of random models (scripts/contact-models writes such).
local g = 9.81
local x, y, q = position("x","y","q") mass(x,0.8463) mass(y,0.8463) mass(q,0.05606682843125)
force(x, -0.8463*g*math.sin(0.4)) force(y, -0.8463*g*math.cos(0.4))
local E = 0.8463*(velocity(x)^2+velocity(y)^2)/2 + 0.05606682843125*velocity(q)^2/2 + 0.8463*g*(math.sin(0.4)*x + math.cos(0.4)*y)
output("E", E)
local c1 = unilateral("c1", y + (-0.2852)*sin(q) + (-0.34265)*cos(q), {restitution=0.5,  })
output("gap1", c1.gap) output("N1", c1.f)
local d1 = unilateral("d1", 1.2 + x + (-0.2852)*cos(q) - (-0.34265)*sin(q), {restitution=0.5,  })
output("gapd1", d1.gap)
local c2 = unilateral("c2", y + (0.2852)*sin(q) + (-0.34265)*cos(q), {restitution=0.5,  })
output("gap2", c2.gap) output("N2", c2.f)
local d2 = unilateral("d2", 1.2 + x + (0.2852)*cos(q) - (-0.34265)*sin(q), {restitution=0.5,  })
output("gapd2", d2.gap)
local c3 = unilateral("c3", y + (0.2852)*sin(q) + (0.34265)*cos(q), {restitution=0.5,  })
output("gap3", c3.gap) output("N3", c3.f)
local d3 = unilateral("d3", 1.2 + x + (0.2852)*cos(q) - (0.34265)*sin(q), {restitution=0.5,  })
output("gapd3", d3.gap)
local c4 = unilateral("c4", y + (-0.2852)*sin(q) + (0.34265)*cos(q), {restitution=0.5,  })
output("gap4", c4.gap) output("N4", c4.f)
local d4 = unilateral("d4", 1.2 + x + (-0.2852)*cos(q) - (0.34265)*sin(q), {restitution=0.5,  })
output("gapd4", d4.gap)
initial{x=0,y=0.62025,q=0,["der(x)"]=0.4666,["der(y)"]=-0.9387,["der(q)"]=-0.7259}
simulate{to=2.9025}
