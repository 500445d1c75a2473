-- The balance along massless directions contains multipliers: friction with the pressure of a curve.
for i = 1, 3 do
  local n, x, y = position("n" .. i, "x" .. i, "y" .. i)
  mass(x, 1) mass(y, 1) force(y, -9.81)
  local curve = constraint("curve" .. i, y - 0.3*x^2)
  force(n, -20*n + 30*(x - n) - 2*velocity(n) - 0.1*multiplier(curve)*tanh(velocity(n)))
  force(x, -30*(x - n))
  initial{ [x] = 0.1*i, ["der(x" .. i .. ")"] = 0.2, [n] = 0.1 }
end
simulate{ to = 1, rtol = 1e-8, every = 0.1 }
