-- A woodpecker toy: a sleeve with play slides down a pole, and a bird on a spring swings and pecks at the pole.
-- You see the sleeve jam while the bird swings back, slip while it swings through, and a peck for each swing.
-- Rigid impacts and dry friction; angles are small, so that every piece of the motion is linear. Own data, of a toy of 5 g.
local m, J = 0.3e-3, 5e-9 -- sleeve: kg, kg m^2
local mb, Jb = 4.5e-3, 7e-7 -- bird
local c, g, mu = 5.6e-3, 9.81, param("mu", 0.3) -- spring in N m/rad, gravity, friction
local r, R, h = 2.5e-3, 3.1e-3, 5.8e-3 -- radii of the pole and of the sleeve's hole, half height of the sleeve, in m
local l, lb = 0.010, 0.015 -- from the pole to the spring, from there to the bird
local beak, hb = 0.0201, 0.02 -- from the bird back to its beak, height of the beak

local y, sleeve, bird = position("y", "sleeve", "bird") -- height, angles
local v, w, wb = velocity(y), velocity(sleeve), velocity(bird)
kinetic(m*v^2/2 + J*w^2/2 + mb*(v + l*w + lb*wb)^2/2 + Jb*wb^2/2)
potential(m*g*y + mb*g*(y + l*sleeve + lb*bird) + c*(sleeve - bird)^2/2)

unilateral("beak", l + lb - beak - r - hb*bird, { restitution = 0.5, friction = mu, slip = v + l*w + (lb - beak)*wb })
unilateral("lower", R - r + h*sleeve, { friction = mu, slip = v + R*w })
unilateral("upper", R - r - h*sleeve, { friction = mu, slip = v + R*w })
output("momentum", (m + mb)*v + mb*l*w + mb*lb*wb)

draw.line("pole", {0, 0.02}, {0, -0.2})
draw.line("sleeve", {r, y - h}, {r, y + h})
draw.line("spring", {r, y}, {l + r, y + l*sleeve})
draw.sphere("bird", {l + lb + r, y + l*sleeve + lb*bird}, { radius = 5e-3 })

initial{ y = 0, sleeve = -(R - r)/h, bird = -0.2788, ["der(y)"] = -0.3411, ["der(sleeve)"] = 0, ["der(bird)"] = -7.4583 }
simulate{ to = 2, rtol = 1e-8, every = 0.002 }
