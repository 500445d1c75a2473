-- Rotors with springs between neighbours: cosine and sine of every angle keep their length.
local N, prev = setting("N", 12), nil
for i = 1, N do
  local c, s = position("c" .. i, "s" .. i)
  local w = speed("w" .. i)
  kinematics(c, -s*w) kinematics(s, c*w)
  invariant("length" .. i, c^2 + s^2)
  mass(w, 1)
  potential(9.81*s)
  if prev then potential(-5*(c*prev[1] + s*prev[2])) end
  initial{ [c] = cos(0.1*(i % 5)), [s] = sin(0.1*(i % 5)), [w] = 0.3*(i % 3) }
  prev = { c, s }
end
simulate{ to = 1, rtol = 1e-8, every = 0.1 }
