-- A bead slides down a wire from rest to a place one metre below and one beside it: which wire is fastest?
-- The wire is a table of places over depths; `driftless optimize` varies the places. It finds 0.5835 s, from 0.6386 s
-- for the straight wire given here; Johann Bernoulli's answer, a cycloid, needs 0.5829 s.
local depth, place, vary = { 0, 0.1, 0.25, 0.45, 0.7, 1 }, { 0 }, {}
for i = 2, 5 do
  place[i] = param("x" .. i, depth[i])
  vary["x" .. i] = { 0.2*depth[i], 1.3*depth[i] }
end
place[6] = 1
local wire = lookup(depth, place, { kind = "cubic" })
local x, y = position("x", "y")
mass(x, 1)
mass(y, 1)
force(y, -9.81)
constraint("wire", x - wire(-y))
initial{ x = 0, y = 0, ["der(x)"] = 0, ["der(y)"] = 0 }
event("arrival", y + 1, { direction = "falling" })
optimize{ vary = vary, minimize = event_time("arrival") }
simulate{ to = 0.65, rtol = 1e-8, every = 0.01 }
