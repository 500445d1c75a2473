-- Andrews' squeezing mechanism once more: seven plates, drawn one by one, and where they are pinned.
-- Each plate is drawn lying along an axis, as if taken apart; three pins then find the point E on two
-- plates each (`at` and `at_b`) and pull the mechanism together before the motor starts.
planar()
local moment = param("moment", 0.033, "N m") -- of the motor
local c0, l0 = param("c0", 4530, "N/m"), param("l0", 0.07785, "m") -- spring from C to the plate

-- the bearings on the ground: O of the crank, B of the plate, A of both arms
local xa, ya, xb, yb = -0.06934, -0.00227, -0.03635, 0.03273

local crank = body("crank", { mass = 0.04325, inertia = 2.194e-6, com = {0.00092, 0} })
local rod   = body("rod",   { mass = 0.00365, inertia = 4.410e-7, com = {0.007 - 0.0115, 0} })
local plate = body("plate", { mass = 0.02373, inertia = 5.255e-6, com = {xb + 0.01043, yb - 0.01874} })
local lower = body("lower", { mass = 0.07050, inertia = 1.169e-5, com = {xa + 0.02308, ya + 0.00916} })
local lower_tip = body("lower-tip", { mass = 0.00706, inertia = 5.667e-7, com = {xa + 0.04, ya - 0.00579} })
local upper = body("upper", { mass = 0.05498, inertia = 1.912e-5, com = {xa - 0.00449, ya - 0.01228} })
local upper_tip = body("upper-tip", { mass = 0.00706, inertia = 5.667e-7, com = {xa + 0.00579, ya - 0.04} })

local beta    = revolute("beta",    ground, crank,     { at = {0, 0} })
local Theta   = revolute("Theta",   crank,  rod,       { at = {0.007, 0} })
local gamma   = revolute("gamma",   ground, plate,     { at = {xb, yb} })
local delta   = revolute("delta",   ground, lower,     { at = {xa, ya} })
local Phi     = revolute("Phi",     lower,  lower_tip, { at = {xa + 0.04, ya} })
local epsilon = revolute("epsilon", ground, upper,     { at = {xa, ya} })
local Omega   = revolute("Omega",   upper,  upper_tip, { at = {xa, ya - 0.04} })

-- three loops meet in the point E
local E = {0.007 - 0.028, 0} -- as it is drawn on the rod
local pin = revolute("E-plate", rod, plate, { at = E, at_b = {xb, yb - 0.035} })
revolute("E-lower", rod, lower_tip, { at = E, at_b = {xa + 0.04, ya - 0.02} })
revolute("E-upper", rod, upper_tip, { at = E, at_b = {xa + 0.02, ya - 0.04} })

force(beta.q, moment)
local pull = spring("spring", ground, plate,
  { from = {0.014, 0.072}, to = {xb + 0.02, yb - 0.018}, stiffness = c0, length = l0 })
output("length", pull.l)
output("E", pin) -- the force on the plate there
output("balance", energy() - moment*beta.q) -- what the motor brings stays in the mechanism

initial{ [Theta.q] = 0 } -- at rest; the other angles follow from guesses
guess{ [beta.q] = -0.06, [gamma.q] = 0.46, [Phi.q] = 0.22, [delta.q] = 0.49, [Omega.q] = -0.22,
       [epsilon.q] = 1.23 }
simulate{ to = 0.03, rtol = 1e-8, every = 0.0001 }
