-- Balls in a row that touch: the fastest contact first.
local x = {}
local m, v = {1, 1, 1}, {1, 0, 0}
for i = 1, 3 do
  x[i] = position("x" .. i) mass(x[i], m[i])
  initial{[x[i]] = i, [velocity(x[i])] = v[i]}
end
for i = 2, 3 do
  unilateral("c" .. i, x[i] - x[i - 1] - 1, {restitution = 1})
end
-- value .01 der(x1) 0
-- value .01 der(x2) 0
-- value .01 der(x3) 1
-- count all 2
