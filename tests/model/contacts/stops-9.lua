-- One of random models (scripts/contact-models writes such).
local E=0 local x={}
x[0]=position("x0") mass(x[0],1.3425) E=E+1.3425*velocity(x[0])^2/2 initial{x0=0, ["der(x0)"]=1.0599}
x[1]=position("x1") mass(x[1],0.7541) E=E+0.7541*velocity(x[1])^2/2 initial{x1=1, ["der(x1)"]=-0.97}
x[2]=position("x2") mass(x[2],0.6164) E=E+0.6164*velocity(x[2])^2/2 initial{x2=2, ["der(x2)"]=-0.2177}
local s0=stop("s0",x[1]-x[0],{lower=0.8331,upper=1.3777,restitution=0}) output("gap0",s0.gap)
local s1=stop("s1",x[2]-x[1],{lower=0.8907,upper=1.3812,restitution=1}) output("gap1",s1.gap)
local f0=friction("f0",x[0],{load=0.84, static=1})
local f1=friction("f1",x[1],{load=2.1238, static=1})
friction("f02",x[2]-x[0],{load=3.0352})
unilateral("w0",x[0]+0.2165,{restitution=0.9})
unilateral("w1",2.4172000000000002-x[2],{restitution=0})
output("E",E)
simulate{to=3.3177}
