-- A linkage that turns half a turn of its crank into a straight stretch of four metres, without a slide.
-- It begins with a poor guess, whose coupler point leaves the line by a metre; `driftless optimize` varies the links,
-- the point and the height of the line until the point stays within 7 mm of it.
local r, c, d = param("r", 1, "m"), param("c", 3, "m"), param("d", 3, "m") -- crank, coupler, rocker
local u, v = param("u", 4, "m"), param("v", 0.5, "m") -- the point, along the coupler and beside it
local height, ground = param("height", 4, "m"), 2

-- from the x axis; the crank turns with 1 rad/s, so the masses do not matter
local crank, coupler, rocker = position("crank", "coupler", "rocker")
mass(crank, 1)
mass(coupler, 1)
mass(rocker, 1)
constraint("drive", crank - math.pi/2 - time)
constraint("loop-x", r*cos(crank) + c*cos(coupler) - ground - d*cos(rocker))
constraint("loop-y", r*sin(crank) + c*sin(coupler) - d*sin(rocker))
guess{ crank = math.pi/2, coupler = 0.5, rocker = 1.5 }

local pin = { r*cos(crank), r*sin(crank) }
local point = { pin[1] + u*cos(coupler) - v*sin(coupler), pin[2] + u*sin(coupler) + v*cos(coupler) }
output("x", point[1])
output("off", point[2] - height)
optimize{ vary = { r = {0.5, 1.9}, c = {2, 5}, d = {2, 5}, u = {0, 8}, v = {-2, 2}, height = {0, 8} },
          minimize = integral((point[2] - height)^2) + (at(0, point[1]) - final(point[1]) - 4)^2 }

local far = { ground + d*cos(rocker), d*sin(rocker) }
draw.line("crank", {0, 0}, pin, { color = "blue" })
draw.line("coupler", pin, far, { color = "orange" })
draw.line("rocker", {ground, 0}, far, { color = "green" })
draw.line("arm", pin, point, { color = "orange" })
draw.point("point", point, { trace = true })
simulate{ to = math.pi, rtol = 1e-8, every = 0.05 }
