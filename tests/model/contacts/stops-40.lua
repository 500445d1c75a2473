-- One of random models (scripts/contact-models writes such).
local E=0 local x={}
x[0]=position("x0") mass(x[0],1.2851) E=E+1.2851*velocity(x[0])^2/2 initial{x0=0, ["der(x0)"]=0.9873}
x[1]=position("x1") mass(x[1],1.1908) E=E+1.1908*velocity(x[1])^2/2 initial{x1=1, ["der(x1)"]=0.8226}
x[2]=position("x2") mass(x[2],0.717) E=E+0.717*velocity(x[2])^2/2 initial{x2=2, ["der(x2)"]=-1.762}
local s0=stop("s0",x[1]-x[0],{lower=0.853,upper=1.3101,restitution=0.8}) output("gap0",s0.gap)
local s1=stop("s1",x[2]-x[1],{lower=0.9292,upper=1.1207,restitution=0.4}) output("gap1",s1.gap)
local f1=friction("f1",x[1],{load=3.2113, static=1.3})
local f2=friction("f2",x[2],{load=3.8693, static=1})
output("E",E)
simulate{to=3.9275}
