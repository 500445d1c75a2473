-- A thin disk, like a coin, rolls over a table without slipping and wobbles along a curve.
-- Its contact point must stand still in every moment: two conditions on velocities (nonholonomic).
-- Friction does no work in rolling, so the output `energy` stays the same.
local m, r = param("m", 1, "kg"), param("r", 1, "m")
local g = param("g", 9.81, "m/s^2")
local J1, J3 = m*r^2/4, m*r^2/2 -- across and along the axis

-- centre of the disk; orientation as a quaternion; angular velocity in the body's frame
local x, y, z = position("x", "y", "z")
local q0, q1, q2, q3 = position("q0", "q1", "q2", "q3")
local w1, w2, w3 = speed("w1", "w2", "w3")
kinematics(q0, (-q1*w1 - q2*w2 - q3*w3)/2)
kinematics(q1, ( q0*w1 - q3*w2 + q2*w3)/2)
kinematics(q2, ( q3*w1 + q0*w2 - q1*w3)/2)
kinematics(q3, (-q2*w1 + q1*w2 + q0*w3)/2)
invariant("length", q0^2 + q1^2 + q2^2 + q3^2)

kinetic(m/2 * (velocity(x)^2 + velocity(y)^2 + velocity(z)^2))
potential(m*g*z)
mass(w1, J1)
mass(w2, J1)
mass(w3, J3)
force(w1, (J1 - J3)*w2*w3) -- Euler's equations: J w' = -w x J w
force(w2, (J3 - J1)*w3*w1)

-- the axis n of the disk and its angular velocity in space
local n1, n2, n3 = 2*(q1*q3 + q0*q2), 2*(q2*q3 - q0*q1), q0^2 - q1^2 - q2^2 + q3^2
local o1 = (q0^2 + q1^2 - q2^2 - q3^2)*w1 + 2*(q1*q2 - q0*q3)*w2 + n1*w3
local o2 = 2*(q1*q2 + q0*q3)*w1 + (q0^2 - q1^2 + q2^2 - q3^2)*w2 + n2*w3
local o3 = 2*(q1*q3 - q0*q2)*w1 + 2*(q2*q3 + q0*q1)*w2 + n3*w3

-- from the centre to the contact point
local s = sqrt(n1^2 + n2^2)
local c1, c2, c3 = r*n3*n1/s, r*n3*n2/s, -r*s

constraint("table", z - r*s)
nonholonomic("no-slip-x", velocity(x) + o2*c3 - o3*c2)
nonholonomic("no-slip-y", velocity(y) + o3*c1 - o1*c3)

output("contact-x", x + c1)
output("contact-y", y + c2)
output("energy", energy())

draw.cylinder("coin", {x, y, z},
  { radius = r, length = r/20, quaternion = {q0, q1, q2, q3}, color = "orange" })
draw.point("contact", {x + c1, y + c2, 0}, { size = r/20, color = "black", trace = true })

-- tilted by 1.2 rad about the x axis
initial{ x = 0, y = 0, q0 = cos(0.6), q1 = sin(0.6), q2 = 0, q3 = 0, w1 = 0.2, w2 = 1.5, w3 = -4 }
guess{ z = 1 }
simulate{ to = 5, rtol = 1e-8, every = 0.02 }
