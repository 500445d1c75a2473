-- One of random models (scripts/contact-models writes such).
local g=9.81 local E=0
local X,Y,Q={},{},{}
do local x,y,q=position("x0","y0","q0") mass(x,1.7134) mass(y,1.7134) mass(q,0.015868834007) force(y,-1.7134*g) X[0],Y[0],Q[0]=x,y,q E=E+1.7134*(velocity(x)^2+velocity(y)^2)/2+0.015868834007*velocity(q)^2/2+1.7134*g*y end
local f0=unilateral("f0",Y[0]-0.1361,{restitution=0}) output("gapf0",f0.gap) output("N0",f0.f)
local a0=unilateral("a0",X[0]-0.1361,{restitution=0}) output("gapa0",a0.gap)
local b0=unilateral("b0",1.5-X[0]-0.1361,{restitution=0}) output("gapb0",b0.gap)
do local x,y,q=position("x1","y1","q1") mass(x,1.7808) mass(y,1.7808) mass(q,0.012167859144) force(y,-1.7808*g) X[1],Y[1],Q[1]=x,y,q E=E+1.7808*(velocity(x)^2+velocity(y)^2)/2+0.012167859144*velocity(q)^2/2+1.7808*g*y end
local f1=unilateral("f1",Y[1]-0.1169,{restitution=0}) output("gapf1",f1.gap) output("N1",f1.f)
local a1=unilateral("a1",X[1]-0.1169,{restitution=0}) output("gapa1",a1.gap)
local b1=unilateral("b1",1.5-X[1]-0.1169,{restitution=0}) output("gapb1",b1.gap)
local d10=unilateral("d10",sqrt((X[1]-X[0])^2+(Y[1]-Y[0])^2)-0.253,{restitution=0}) output("gap10",d10.gap)
output("E",E)
initial{x0=0.2401,y0=0.3137,q0=0,["der(x0)"]=-1.8571,["der(y0)"]=0.3625,["der(q0)"]=0}
initial{x1=0.67,y1=0.4415,q1=0,["der(x1)"]=1.2147,["der(y1)"]=0.7205,["der(q1)"]=0}
simulate{to=1.0091}
