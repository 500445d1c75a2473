-- A spinning top leans over, and instead of falling its axis wanders around the vertical.
-- It is let go without wandering, so the axis nods up and down on its way (nutation).
-- The quaternion keeps its length, and the energy the value it has at the start.
local m, l = param("m", 1, "kg"), param("l", 0.5, "m") -- mass, distance of its centre from the tip
local J1, J3 = param("J1", 1, "kg m^2"), param("J3", 0.4, "kg m^2") -- about the centre
local g = param("g", 9.81, "m/s^2")

-- centre of mass; orientation as a quaternion; angular velocity in the body's frame
local x, y, z = position("x", "y", "z")
local q0, q1, q2, q3 = position("q0", "q1", "q2", "q3")
local w1, w2, w3 = speed("w1", "w2", "w3")
kinematics(q0, (-q1*w1 - q2*w2 - q3*w3)/2)
kinematics(q1, ( q0*w1 - q3*w2 + q2*w3)/2)
kinematics(q2, ( q3*w1 + q0*w2 - q1*w3)/2)
kinematics(q3, (-q2*w1 + q1*w2 + q0*w3)/2)

kinetic(m/2 * (velocity(x)^2 + velocity(y)^2 + velocity(z)^2))
potential(m*g*z)
mass(w1, J1)
mass(w2, J1)
mass(w3, J3)
force(w1, (J1 - J3)*w2*w3) -- Euler's equations: J w' = -w x J w
force(w2, (J3 - J1)*w3*w1)

-- the axis of the top points from its tip, which stays at the origin, to its centre
local n1, n2, n3 = 2*(q1*q3 + q0*q2), 2*(q2*q3 - q0*q1), q0^2 - q1^2 - q2^2 + q3^2
constraint("tip-x", x - l*n1)
constraint("tip-y", y - l*n2)
constraint("tip-z", z - l*n3)

invariant("length", q0^2 + q1^2 + q2^2 + q3^2)
invariant("energy", energy())
output("lean", acos(n3))

draw.line("axis", {0, 0, 0}, {2*x, 2*y, 2*z}, { size = 0.03 })
draw.cylinder("top", {x, y, z}, { radius = 0.25, length = 0.08, quaternion = {q0, q1, q2, q3} })
draw.point("tip", {2*x, 2*y, 2*z}, { size = 0.03, trace = true })

-- leaning by 0.5 rad about the x axis, 20 rad/s about its own
initial{ q0 = cos(0.25), q1 = sin(0.25), q2 = 0, q3 = 0, w1 = 0, w2 = 0, w3 = 20 }
guess{ z = 0.5 }
simulate{ to = 2, rtol = 1e-8, every = 0.005 }
