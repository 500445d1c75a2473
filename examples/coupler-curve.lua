-- A point of the coupler of a four-bar linkage draws a curve: which linkage draws the curve of coupler-curve.csv?
-- `driftless optimize` finds its links and the point, r = 1, c = 3, d = 3.5, u = 1.5, v = 1.2, from values that are
-- 20 % off; straight-line.lua asks for a curve that nobody has drawn.
local r, c, d = param("r", 0.8, "m"), param("c", 3.6, "m"), param("d", 4.2, "m") -- crank, coupler, rocker
local u, v = param("u", 1.2, "m"), param("v", 1.44, "m") -- the point, along the coupler and beside it
local ground = 4

-- from the x axis; the crank turns with 1 rad/s, so the masses do not matter
local crank, coupler, rocker = position("crank", "coupler", "rocker")
mass(crank, 1)
mass(coupler, 1)
mass(rocker, 1)
constraint("drive", crank - time)
constraint("loop-x", r*cos(crank) + c*cos(coupler) - ground - d*cos(rocker))
constraint("loop-y", r*sin(crank) + c*sin(coupler) - d*sin(rocker))
guess{ coupler = 1, rocker = 2 }

local pin = { r*cos(crank), r*sin(crank) }
local point = { pin[1] + u*cos(coupler) - v*sin(coupler), pin[2] + u*sin(coupler) + v*cos(coupler) }
output("px", point[1])
output("py", point[2])
optimize{ vary = { r = {0.5, 1.5}, c = {2, 5}, d = {2, 5}, u = {0, 3}, v = {0, 3} },
          fit = { file = "coupler-curve.csv", px = "px", py = "py" } }

local far = { ground + d*cos(rocker), d*sin(rocker) }
draw.line("crank", {0, 0}, pin, { color = "blue" })
draw.line("coupler", pin, far, { color = "orange" })
draw.line("rocker", {ground, 0}, far, { color = "green" })
draw.line("arm", pin, point, { color = "orange" })
draw.point("point", point, { trace = true })
simulate{ to = 6, rtol = 1e-8, every = 0.05 }
