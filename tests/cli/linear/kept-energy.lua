-- A falling chain whose energy is an invariant: a row that contains all unknowns.
local N, px, py = setting("N", 8), 0, 0
for i = 1, N do
  local x, y = position("x" .. i, "y" .. i)
  kinetic((velocity(x)^2 + velocity(y)^2)/2)
  potential(9.81*y)
  constraint("rod" .. i, (x - px)^2 + (y - py)^2 - 1)
  initial{ [x] = i }
  guess{ [y] = 0, [velocity(y)] = 0.1*i }
  px, py = x, y
end
invariant("E", energy())
simulate{ to = 0.7, rtol = 1e-8, every = 0.05 }
