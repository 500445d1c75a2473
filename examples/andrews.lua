-- Andrews' squeezing mechanism: a motor turns a small crank, and seven plates move each other.
-- In 0.03 seconds the crank goes around two and a half times, faster than 10 000 turns a minute.
-- Energies and three closed loops are all there is to write; the data are those of the test sets.
local moment = param("moment", 0.033, "N m") -- of the motor
local c0, l0 = param("c0", 4530, "N/m"), param("l0", 0.07785, "m") -- spring from C to body 3

local m1, m2, m3, m4, m5, m6, m7 = 0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498
local I1, I2, I3, I4, I5, I6, I7 =
  2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5
local xa, ya, xb, yb, xc, yc = -0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072
local d, da, e, ea, rr, ra = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
local ss, sa, sb, sc, sd = 0.035, 0.01874, 0.01043, 0.018, 0.02
local ta, tb, u, ua, ub, zf, zt, fa = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421

local beta, Theta, gamma, Phi, delta, Omega, epsilon =
  position("beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon")

-- The kinetic energy of a body on two arms: the first, p, turns with the angle A, the second, q, and
-- the body with A + B; `c` is the cosine of the angle between the arms.
local function on_two_arms(m, I, p, q, A, B, c)
  local first, both = velocity(A), velocity(A) + velocity(B)
  return m/2 * (p^2*first^2 + q^2*both^2 + 2*p*q*first*both*c) + I/2*both^2
end

kinetic((m1*ra^2 + I1)/2 * velocity(beta)^2)
kinetic(on_two_arms(m2, I2, rr, -da, beta, Theta, cos(Theta)))
kinetic((m3*(sa^2 + sb^2) + I3)/2 * velocity(gamma)^2)
kinetic(on_two_arms(m4, I4, zt, e - ea, delta, Phi, sin(Phi)))
kinetic((m5*(ta^2 + tb^2) + I5)/2 * velocity(delta)^2)
kinetic(on_two_arms(m6, I6, u, fa - zf, epsilon, Omega, sin(Omega)))
kinetic((m7*(ua^2 + ub^2) + I7)/2 * velocity(epsilon)^2)

-- the spring's end D on body 3
local xd, yd = xb + sd*cos(gamma) + sc*sin(gamma), yb + sd*sin(gamma) - sc*cos(gamma)
local length = sqrt((xd - xc)^2 + (yd - yc)^2)
potential(c0/2 * (length - l0)^2)
force(beta, moment)

-- three loops meet in the point E
local xe, ye = rr*cos(beta) - d*cos(beta + Theta), rr*sin(beta) - d*sin(beta + Theta)
constraint("B-x", xe - ss*sin(gamma) - xb)
constraint("B-y", ye + ss*cos(gamma) - yb)
constraint("A1-x", xe - e*sin(Phi + delta) - zt*cos(delta) - xa)
constraint("A1-y", ye + e*cos(Phi + delta) - zt*sin(delta) - ya)
constraint("A2-x", xe - zf*cos(Omega + epsilon) - u*sin(epsilon) - xa)
constraint("A2-y", ye - zf*sin(Omega + epsilon) + u*cos(epsilon) - ya)

output("spring", length)

-- the seven bodies as bars between their joints
draw.line("crank", {0, 0}, {rr*cos(beta), rr*sin(beta)}, { color = "vermillion" })
draw.line("rod", {rr*cos(beta), rr*sin(beta)}, {xe, ye}, { color = "orange" })
draw.line("plate", {xb, yb}, {xe, ye}, {xd, yd}, {xb, yb}, { color = "blue" })
draw.line("lower", {xa, ya}, {xa + zt*cos(delta), ya + zt*sin(delta)}, {xe, ye}, { color = "green" })
draw.line("upper", {xa, ya}, {xa + u*sin(epsilon), ya - u*cos(epsilon)}, {xe, ye}, { color = "purple" })
draw.spring("spring", {xc, yc}, {xd, yd})
draw.point("E", {xe, ye}, { color = "black", trace = true })

initial{ Theta = 0 } -- at rest; the other angles follow from guesses
guess{ beta = -0.06, gamma = 0.46, Phi = 0.22, delta = 0.49, Omega = -0.22, epsilon = 1.23 }
simulate{ to = 0.03, rtol = 1e-8, every = 0.0001 }
