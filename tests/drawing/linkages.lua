-- Linkages that move although they have more rows than motions, and plane loops drawn in space, in any
-- orientation, without gravity. The outputs r1, r2, ... vanish on the exact motion.
local KIND = setting("kind", 1)      -- 1 ... 24
local TURN = setting("turn", 1)      -- 1 ... 20, the orientation
local PHASE = setting("phase", 1.2)  -- of Bennett's linkage: the angle at the first hinge
local pi = math.pi
local function dot(a, b) return a[1]*b[1] + a[2]*b[2] + a[3]*b[3] end
local function cross(a, b) return {a[2]*b[3] - a[3]*b[2], a[3]*b[1] - a[1]*b[3], a[1]*b[2] - a[2]*b[1]} end
local function add(a, b, k) return {a[1] + (k or 1)*b[1], a[2] + (k or 1)*b[2], a[3] + (k or 1)*b[3]} end
local function unit(a) local n = math.sqrt(dot(a, a)) return {a[1]/n, a[2]/n, a[3]/n} end
local function about(axis, angle, v) -- v turned about a unit vector
  local c, s = math.cos(angle), math.sin(angle)
  return add(add({c*v[1], c*v[2], c*v[3]}, cross(axis, v), s), axis, dot(axis, v)*(1 - c))
end
local seed = 7
local function random() seed = (seed*16807) % 2147483647 return 2*seed/2147483647 - 1 end
local function vector() return {random(), random(), random()} end

-- orientations: as drawn, along other axes of coordinates, and 14 without any relation to them
local special = {{{0, 0, 1}, 0}, {{0, 0, 1}, pi/2}, {{1, 0, 0}, pi/2}, {{0, 1, 0}, pi/2}, {{1, 1, 1}, 2*pi/3}, {{1, 0, 0}, pi}}
seed = 1000*TURN + 7
for _ = 1, 5 do random() end
local turn = special[TURN] or {vector(), 3*random()}
local shift = TURN > 3 and vector() or {0, 0, 0}
turn[1] = unit(turn[1])
local function D(v) return about(turn[1], turn[2], v) end   -- a direction
local function P(v) return add(D(v), shift) end             -- a point
local function part(v, axis) -- the component of an expression along a direction of the drawing
  local a = D(axis)
  return v[1]*a[1] + v[2]*a[2] + v[3]*a[3]
end
local function difference(a, b) return {a.x - b.x, a.y - b.y, a.z - b.z} end

local count = 0
local function vanishes(expr) count = count + 1 output("r" .. count, expr) end
local function link(name, a, b)
  local m = add(add({0, 0, 0}, a, 0.5), b, 0.5)
  return body(name, {mass = 1, com = P(m), inertia = {0.1, 0.1, 0.1}})
end
local function hinge(name, a, b, line) return revolute(name, a, b, {at = P(line[1]), axis = D(line[2])}) end

-- a loop of hinges, link k from line k to line k + 1, the last one fixed; the last hinge closes it
local function loop(lines)
  local n, before, q, bodies = #lines, ground, {}, {}
  for k = 1, n - 1 do
    local b = link("L" .. k, lines[k][1], lines[k + 1][1])
    q[k] = hinge("j" .. k, before, b, lines[k]).q
    before, bodies[k] = b, b
  end
  hinge("j" .. n, ground, before, lines[n])
  initial{[velocity(q[1])] = 1}
  return q, bodies
end

-- Denavit and Hartenberg: lines of hinges from {theta, length, twist}
local function chain(steps)
  local p, x, z, lines = {0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {}
  for k, s in ipairs(steps) do
    lines[k] = {p, z}
    x = about(z, s[1], x)
    p = add(p, x, s[2])
    z = about(x, s[3], z)
  end
  return lines, p, x, z
end
local function bennett_factor(al, be) return math.sin((be + al)/2)/math.sin((be - al)/2) end
local function bennett_holds(al, be, theta1, theta2) -- tan(theta1/2) tan(theta2/2) is the factor
  vanishes(sin(theta1/2)*sin(theta2/2) - bennett_factor(al, be)*cos(theta1/2)*cos(theta2/2))
end

local function bennett(al, be)
  local t1 = PHASE
  local k, B = bennett_factor(al, be), math.sin(be)/math.sin(al)
  local t2 = 2*math.atan(k*math.cos(t1/2), math.sin(t1/2))
  local q = loop((chain{{t1, 1, al}, {t2, B, be}, {-t1, 1, al}, {-t2, B, be}}))
  bennett_holds(al, be, t1 + q[1], t2 + q[2])
  vanishes(q[1] + q[3])
end

-- two of Bennett's linkages with one link in common, which is left out
local function goldberg(al, be, ga, t1)
  local size = 1/math.sin(al)
  local b, c = math.sin(be)*size, math.sin(ga)*size
  local t2 = 2*math.atan(bennett_factor(al, be)*math.cos(t1/2), math.sin(t1/2))
  local first = chain{{t1, 1, al}, {t2, b, be}, {-t1, 1, al}, {-t2, b, be}}
  local x = unit(add(first[4][1], first[1][1], -1)) -- along the link from 1 to 4, and on to 5
  local five = {add(first[4][1], x, c), about(x, ga, first[4][2])}
  -- the second one: 3, 4, 5, 6; the angle at 4 from the link 34 to the link 45
  local x34 = unit(add(first[4][1], first[3][1], -1))
  local z4 = first[4][2]
  local u4 = math.atan(dot(cross(x34, x), z4), dot(x34, x))
  local u3 = 2*math.atan(bennett_factor(al, ga)*math.cos(u4/2), math.sin(u4/2))
  -- at 5 the angle is -u3, at 6 it is -u4
  local z5 = five[2]
  local x56 = about(z5, -u3, x)
  local six = {add(five[1], x56, 1), about(x56, al, z5)}
  local lines = {first[1], first[2], first[3], six, five}
  local q = loop(lines)
  bennett_holds(al, be, t1 + q[1], t2 + q[2])
end

-- Sarrus: a plate on legs moves straight up
local function sarrus(legs, between)
  local top = body("top", {mass = 2, com = P{0, 0, 2}, inertia = {0.2, 0.2, 0.2}})
  local first
  for k = 1, legs do
    local c, s = math.cos(between*(k - 1)), math.sin(between*(k - 1))
    local function at(r, z) return {c*r, s*r, z} end
    local axis = {-s, c, 0}
    local lower, upper = link("lower" .. k, at(1, 0), at(2, 1)), link("upper" .. k, at(2, 1), at(1, 2))
    local j = hinge("a" .. k, ground, lower, {at(1, 0), axis})
    first = first or j
    hinge("b" .. k, lower, upper, {at(2, 1), axis})
    hinge("c" .. k, upper, top, {at(1, 2), axis})
  end
  initial{[velocity(first.q)] = 0.2}
  local was, is = P{1, 1, 2}, point(top, P{1, 1, 2})
  local v = {is.x - was[1], is.y - was[2], is.z - was[3]}
  vanishes(part(v, {1, 0, 0}))
  vanishes(part(v, {0, 1, 0}))
end

-- Bricard, symmetric to a line: lines 4, 5, 6 are 1, 2, 3 after a half-turn about z
local function line_symmetric(number)
  seed = 100*number + 3
  local lines = {}
  for k = 1, 3 do
    local p, z = vector(), unit(vector())
    p = add(p, {math.cos(k), math.sin(k), 0}, 1.5)
    lines[k], lines[k + 3] = {p, z}, {{-p[1], -p[2], p[3]}, {-z[1], -z[2], z[3]}}
  end
  local q = loop(lines)
  vanishes(q[1] - q[4])
  vanishes(q[2] - q[5])
end

-- Bricard, symmetric to the plane of y and z: lines 1 and 4 lie in it, 6 and 5 are images of 2 and 3
local function plane_symmetric(number)
  seed = 100*number + 11
  local function image(v) return {-v[1], v[2], v[3]} end
  local p1, p4 = {0, -1.2, 0.1*random()}, {0, 1.1, 0.3*random()}
  local z1, z4 = unit{0, random(), 1}, unit{0, random(), 1}
  local two, three = {{1.2, -0.7, 0.3*random()}, unit(vector())}, {{1.3, 0.8, 0.2*random()}, unit(vector())}
  local six, five = {image(two[1]), image(two[2])}, {image(three[1]), image(three[2])}
  local L1, L2, L3 = link("L1", p1, two[1]), link("L2", two[1], three[1]), link("L3", three[1], p4)
  local L5, L4 = link("L5", six[1], five[1]), link("L4", five[1], p4)
  local j1 = hinge("j1", ground, L1, {p1, z1})
  local j2, j3 = hinge("j2", L1, L2, two), hinge("j3", L2, L3, three)
  local j6, j5 = hinge("j6", ground, L5, six), hinge("j5", L5, L4, five)
  hinge("j4", L3, L4, {p4, z4})
  initial{[velocity(j1.q)] = 0.7}
  -- an image turns the other way about the image of its axis
  vanishes(j2.q + j6.q)
  vanishes(j3.q + j5.q)
end

-- Bricard, trihedral with threefold symmetry: cos u + cos v + cos u cos v = 0
local function trihedral(length, u)
  local v = math.acos(-math.cos(u)/(1 + math.cos(u)))
  local steps = {}
  for k = 1, 6 do steps[k] = {k % 2 == 1 and u or v, length, (k % 2 == 1 and 1 or -1)*pi/2} end
  local q = loop((chain(steps)))
  local a, b = u + q[1], v + q[2]
  vanishes(cos(a) + cos(b) + cos(a)*cos(b))
  vanishes(q[1] - q[3])
  vanishes(q[2] - q[4])
end

-- four hinges whose axes meet in a point: an end of the coupler keeps its distance from the last axis
local function spherical(a1, a2, a3, t)
  local z1, z4 = {0, 0, 1}, unit{1, 0, 0.5}
  local z2 = about({0, 0, 1}, t, {math.sin(a1), 0, math.cos(a1)})
  -- z3 at the angle a2 from z2 and a3 from z4
  local c = dot(z2, z4)
  local n = cross(z2, z4)
  local x, y = (math.cos(a2) - c*math.cos(a3))/(1 - c*c), (math.cos(a3) - c*math.cos(a2))/(1 - c*c)
  local flat = add({x*z2[1], x*z2[2], x*z2[3]}, z4, y)
  local z3 = add(flat, n, math.sqrt((1 - dot(flat, flat))/dot(n, n)))
  local _, bodies = loop{{z1, z1}, {z2, z2}, {z3, z3}, {z4, z4}}
  local end3, fixed4 = point(bodies[2], P(z3)), P(z4)
  local v = {end3.x - fixed4[1], end3.y - fixed4[2], end3.z - fixed4[3]}
  vanishes(v[1]^2 + v[2]^2 + v[3]^2 - (2 - 2*math.cos(a3)))
end

-- plane loops: z is the normal
local up = {0, 0, 1}
local function four_bar(B, C, d)
  local A, E = {0, 0, 0}, {d, 0, 0}
  local q = loop{{A, up}, {B, up}, {C, up}, {E, up}}
  local function angle(p, r) return math.atan(r[2] - p[2], r[1] - p[1]) end
  local function length(p, r) return math.sqrt((r[1] - p[1])^2 + (r[2] - p[2])^2) end
  local a1, a2, a3 = angle(A, B) + q[1], angle(B, C) + q[1] + q[2], angle(C, E) + q[1] + q[2] + q[3]
  vanishes(length(A, B)*cos(a1) + length(B, C)*cos(a2) + length(C, E)*cos(a3) - d)
  vanishes(length(A, B)*sin(a1) + length(B, C)*sin(a2) + length(C, E)*sin(a3))
end

local function slider_crank(r, l, t)
  local B = {r*math.cos(t), r*math.sin(t), 0}
  local C = {B[1] + math.sqrt(l*l - B[2]^2), 0, 0}
  local crank, rod = link("crank", {0, 0, 0}, B), link("rod", B, C)
  local block = body("block", {mass = 2, com = P(C), inertia = {0.1, 0.1, 0.1}})
  local j = hinge("a", ground, crank, {{0, 0, 0}, up})
  hinge("b", crank, rod, {B, up})
  hinge("c", rod, block, {C, up})
  prismatic("guide", ground, block, {at = P(C), axis = D{1, 0, 0}})
  initial{[velocity(j.q)] = 1}
  local is, o = point(block, P(C)), P{0, 0, 0}
  local v, phi = {is.x - o[1], is.y - o[2], is.z - o[3]}, t + j.q
  vanishes(part(v, {1, 0, 0}) - r*cos(phi) - sqrt(l*l - (r*sin(phi))^2))
  vanishes(part(v, {0, 1, 0}))
end

-- a dyad from the point X of a body to a fixed point Y hangs on a four-bar: Watt (on the rocker),
-- Stephenson (on the coupler)
local function six_bar(on_coupler)
  local A, B, C, E = {0, 0, 0}, {0.3, 0.4, 0}, {1.4, 1.1, 0}, {1.5, 0, 0}
  local crank, coupler, rocker = link("crank", A, B), link("coupler", B, C), link("rocker", C, E)
  local j = hinge("j1", ground, crank, {A, up})
  hinge("j2", crank, coupler, {B, up})
  hinge("j3", coupler, rocker, {C, up})
  hinge("j4", ground, rocker, {E, up})
  local X, Y, Z = on_coupler and {0.8, 1.3, 0} or {2.0, 0.8, 0}, {2.9, 1.5, 0}, {3.2, 0, 0}
  local bar, arm = link("bar", X, Y), link("arm", Y, Z)
  hinge("j5", on_coupler and coupler or rocker, bar, {X, up})
  hinge("j6", bar, arm, {Y, up})
  hinge("j7", ground, arm, {Z, up})
  initial{[velocity(j.q)] = 1}
  local function closes(a, b, p)
    local v = difference(point(a, P(p)), point(b, P(p)))
    vanishes(part(v, {1, 0, 0}))
    vanishes(part(v, {0, 1, 0}))
    vanishes(part(v, up))
  end
  local function stays(a, p)
    local is, was = point(a, P(p)), P(p)
    local v = {is.x - was[1], is.y - was[2], is.z - was[3]}
    vanishes(v[1]^2 + v[2]^2 + v[3]^2)
  end
  closes(coupler, rocker, C)
  closes(bar, arm, Y)
  stays(rocker, E)
  stays(arm, Z)
end

local kinds = {
  function() bennett(0.6, 1.1) end, function() bennett(0.4, 1.3) end, function() bennett(1.0, 1.9) end,
  function() bennett(0.3, 0.8) end, function() bennett(0.9, 1.4) end, function() bennett(0.5, 2.2) end,
  function() bennett(0.7, 1.5) end,
  function() sarrus(2, pi/2) end, function() sarrus(2, 0.9273) end, function() sarrus(3, 2*pi/3) end,
  function() line_symmetric(1) end, function() line_symmetric(2) end, function() line_symmetric(3) end,
  function() plane_symmetric(1) end, function() plane_symmetric(2) end,
  function() trihedral(1, 1.2) end,
  function() goldberg(0.6, 1.1, 0.8, 1.2) end, function() goldberg(0.5, 0.9, 1.2, 0.9) end,
  function() spherical(0.5, 1.0, 0.9, 0.8) end, function() spherical(0.4, 0.9, 1.1, 0.3) end,
  function() four_bar({0.2, 0.4, 0}, {1.0, 0.9, 0}, 1.1) end,
  function() slider_crank(1, 2.3, 0.9) end,
  function() six_bar(false) end, function() six_bar(true) end,
}
kinds[KIND]()
output("E", energy())
simulate{ to = 10, every = 0.5, rtol = 1e-8 }
