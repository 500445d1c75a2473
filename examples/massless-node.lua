-- A node without mass between two springs with dampers; behind it a block of 1 kg (Arnold 2013, section 2.2).
-- The node has no acceleration of its own: it moves so that the forces on it are in balance at every time.
-- A small mass in its place would vibrate fast and cost many steps: try --set m1=1e-4 and --set d=0.002.
planar()
local m1 = param("m1", 0, "kg")
local c, d = param("c", 1e4, "N/m"), param("d", 2, "N s/m")

-- drawn with both springs relaxed
local node = body("node", { mass = m1, com = {1, 0}, shape = {"sphere", radius = 0.02} })
local block = body("block", { mass = 1, com = {2, 0} })
local first = prismatic("first", ground, node, { at = {1, 0}, axis = {1, 0} })
local second = prismatic("second", node, block, { at = {2, 0}, axis = {1, 0} })

local push = 50*sin(10*time) -- N, on the node
force(first.q, push - c*first.q - d*first.qd)
force(second.q, -c*second.q - d*second.qd)

local a, b = point(node, {1, 0}), point(block, {2, 0})
output("x1", a.x - 1, "m")
output("x2", b.x - 2, "m")
output("v2", b.vx, "m/s")

draw.spring("left", {0, 0}, {a.x, a.y})
draw.spring("right", {a.x, a.y}, {b.x, b.y})

initial{ [first.q] = 0.02, [second.q] = 0.03 }
simulate{ to = 2, rtol = 1e-8, every = 0.005 }
