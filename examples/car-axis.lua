-- The axle of a car drives over a bumpy road: its left wheel stays put, its right one goes up and down.
-- Two springs carry the car's body between them; the bumps come with the time, ten rad per second.
-- The test set for initial value problems has this model (car axis, dimensionless): xl(3) = 0.0493.
local M, eps = param("M", 10), param("eps", 1e-2)
local L, L0 = param("L", 1), param("L0", 0.5)
local r, omega = param("r", 0.1), param("omega", 10)
local k = eps^2*M/2

local xl, yl, xr, yr = position("xl", "yl", "xr", "yr") -- both ends of the body

-- the right wheel
local yb = r*sin(omega*time)
local xb = sqrt(L^2 - yb^2)

kinetic(k/2 * (velocity(xl)^2 + velocity(yl)^2 + velocity(xr)^2 + velocity(yr)^2))
potential(k*(yl + yr))

-- springs from the wheels to the body
local left, right = sqrt(xl^2 + yl^2), sqrt((xr - xb)^2 + (yr - yb)^2)
potential((left - L0)^2/2 + (right - L0)^2/2)

constraint("upright", xb*xl + yb*yl) -- the left spring is at right angles to the axle
constraint("body", (xl - xr)^2 + (yl - yr)^2 - L^2)

output("bump", yb)

draw.line("axle", {0, 0}, {xb, yb})
draw.line("body", {xl, yl}, {xr, yr}, { size = 0.06, color = "blue" })
draw.spring("left", {0, 0}, {xl, yl})
draw.spring("right", {xb, yb}, {xr, yr})
draw.point("wheel", {xb, yb}, { size = 0.08, color = "black", trace = true })

initial{ xl = 0, yl = 1/2, xr = 1, yr = 1/2 }
initial{ [velocity(xl)] = -1/2, [velocity(yl)] = 0, [velocity(xr)] = -1/2, [velocity(yr)] = 0 }
simulate{ to = 3, rtol = 1e-8, every = 0.01 }
