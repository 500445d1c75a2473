-- N four-bar linkages in a row: N + 1 bars hang side by side, N couplers join their ends, one motion.
-- A Lua loop draws any number of them: `--set N=40` has 81 bodies and 40 closed loops.
-- All hanging bars swing as one pendulum; stretched out on a line they could part, but never get there.
planar()
local N = setting("N", 7)
local lean, turn = param("lean", 1, "rad"), param("turn", 0, "rad/s") -- of the bars at the start
gravity{0, -9.81}

-- a uniform bar of 1 m and 1 kg
local function bar(name, x, y)
  return body(name, { mass = 1, com = {x, y}, inertia = 1/12 })
end

local hanging = bar("bar0", 0, -0.5)
local first = revolute("A0", ground, hanging, { at = {0, 0} })
for i = 1, N do
  local next_hanging, coupler = bar("bar" .. i, i, -0.5), bar("coupler" .. i, i - 0.5, -1)
  local bearing = revolute("A" .. i, ground, next_hanging, { at = {i, 0} })
  local pin = revolute("B" .. i - 1, hanging, coupler, { at = {i - 1, -1} })
  revolute("C" .. i, coupler, next_hanging, { at = {i, -1} }) -- closes the loop
  guess{ [bearing.q] = lean, [bearing.qd] = turn, [pin.q] = -lean, [pin.qd] = -turn }
  hanging = next_hanging
end

local tip = point(hanging, {N, -1})
output("x", tip.x - N)
output("y", tip.y)
output("energy", energy())

initial{ [first.q] = lean, [first.qd] = turn }
simulate{ to = 2, rtol = 1e-8, every = 0.01 }
