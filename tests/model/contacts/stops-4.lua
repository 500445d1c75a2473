-- One of random models (scripts/contact-models writes such).
local E=0 local x={}
x[0]=position("x0") mass(x[0],0.8156) E=E+0.8156*velocity(x[0])^2/2 initial{x0=0, ["der(x0)"]=-0.1267}
x[1]=position("x1") mass(x[1],1.5261) E=E+1.5261*velocity(x[1])^2/2 initial{x1=1, ["der(x1)"]=-2.4594}
local s0=stop("s0",x[1]-x[0],{lower=0.8094,upper=1.3713,restitution=0}) output("gap0",s0.gap)
local f1=friction("f1",x[1],{load=2.2394, static=1.3})
unilateral("w1",1.4772-x[1],{restitution=0})
output("E",E)
simulate{to=3.4868}
