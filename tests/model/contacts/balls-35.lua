-- One of random models (scripts/contact-models writes such).
local g=9.81 local E=0
local X,Y,Q={},{},{}
do local x,y,q=position("x0","y0","q0") mass(x,1.3501) mass(y,1.3501) mass(q,0.0206025867545) force(y,-1.3501*g) X[0],Y[0],Q[0]=x,y,q E=E+1.3501*(velocity(x)^2+velocity(y)^2)/2+0.0206025867545*velocity(q)^2/2+1.3501*g*y end
local f0=unilateral("f0",Y[0]-0.1747,{restitution=0.6}) output("gapf0",f0.gap) output("N0",f0.f)
local a0=unilateral("a0",X[0]-0.1747,{restitution=0.6}) output("gapa0",a0.gap)
local b0=unilateral("b0",1.5-X[0]-0.1747,{restitution=0.6}) output("gapb0",b0.gap)
do local x,y,q=position("x1","y1","q1") mass(x,1.6211) mass(y,1.6211) mass(q,0.0281927527375) force(y,-1.6211*g) X[1],Y[1],Q[1]=x,y,q E=E+1.6211*(velocity(x)^2+velocity(y)^2)/2+0.0281927527375*velocity(q)^2/2+1.6211*g*y end
local f1=unilateral("f1",Y[1]-0.1865,{restitution=0.6}) output("gapf1",f1.gap) output("N1",f1.f)
local a1=unilateral("a1",X[1]-0.1865,{restitution=0.6}) output("gapa1",a1.gap)
local b1=unilateral("b1",1.5-X[1]-0.1865,{restitution=0.6}) output("gapb1",b1.gap)
do local x,y,q=position("x2","y2","q2") mass(x,1.6323) mass(y,1.6323) mass(q,0.013497456053999999) force(y,-1.6323*g) X[2],Y[2],Q[2]=x,y,q E=E+1.6323*(velocity(x)^2+velocity(y)^2)/2+0.013497456053999999*velocity(q)^2/2+1.6323*g*y end
local f2=unilateral("f2",Y[2]-0.1286,{restitution=0.6}) output("gapf2",f2.gap) output("N2",f2.f)
local a2=unilateral("a2",X[2]-0.1286,{restitution=0.6}) output("gapa2",a2.gap)
local b2=unilateral("b2",1.5-X[2]-0.1286,{restitution=0.6}) output("gapb2",b2.gap)
do local x,y,q=position("x3","y3","q3") mass(x,1.8938) mass(y,1.8938) mass(q,0.036599162164) force(y,-1.8938*g) X[3],Y[3],Q[3]=x,y,q E=E+1.8938*(velocity(x)^2+velocity(y)^2)/2+0.036599162164*velocity(q)^2/2+1.8938*g*y end
local f3=unilateral("f3",Y[3]-0.1966,{restitution=0.6}) output("gapf3",f3.gap) output("N3",f3.f)
local a3=unilateral("a3",X[3]-0.1966,{restitution=0.6}) output("gapa3",a3.gap)
local b3=unilateral("b3",1.5-X[3]-0.1966,{restitution=0.6}) output("gapb3",b3.gap)
local d10=unilateral("d10",sqrt((X[1]-X[0])^2+(Y[1]-Y[0])^2)-0.36119999999999997,{restitution=0.6}) output("gap10",d10.gap)
local d20=unilateral("d20",sqrt((X[2]-X[0])^2+(Y[2]-Y[0])^2)-0.3033,{restitution=0.6}) output("gap20",d20.gap)
local d21=unilateral("d21",sqrt((X[2]-X[1])^2+(Y[2]-Y[1])^2)-0.3151,{restitution=0.6}) output("gap21",d21.gap)
local d30=unilateral("d30",sqrt((X[3]-X[0])^2+(Y[3]-Y[0])^2)-0.37129999999999996,{restitution=0.6}) output("gap30",d30.gap)
local d31=unilateral("d31",sqrt((X[3]-X[1])^2+(Y[3]-Y[1])^2)-0.3831,{restitution=0.6}) output("gap31",d31.gap)
local d32=unilateral("d32",sqrt((X[3]-X[2])^2+(Y[3]-Y[2])^2)-0.3252,{restitution=0.6}) output("gap32",d32.gap)
output("E",E)
initial{x0=0.241,y0=0.36,q0=0,["der(x0)"]=0.8694,["der(y0)"]=0.1706,["der(q0)"]=0}
initial{x1=0.66,y1=0.3593,q1=0,["der(x1)"]=1.8209,["der(y1)"]=-0.9774,["der(q1)"]=0}
initial{x2=1.0589,y2=0.3624,q2=0,["der(x2)"]=-1.8991,["der(y2)"]=0.3502,["der(q2)"]=0}
initial{x3=0.2321,y3=0.7704,q3=0,["der(x3)"]=-0.7001,["der(y3)"]=-0.6859,["der(q3)"]=0}
simulate{to=0.6641}
