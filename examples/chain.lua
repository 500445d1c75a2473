-- A chain of N point masses hangs from the origin by rods and is let go from the horizontal.
-- A loop writes the model: run it with --set N=30 for a longer chain, or --set N=2 for two.
-- The end of the chain whips around, while every rod stays exactly one metre long.
local N = setting("N", 10)
local m, L, g = param("m", 1, "kg"), param("L", 1, "m"), param("g", 9.81, "m/s^2")

local x0, y0 = 0, 0 -- where the next rod begins
for i = 1, N do
  local x, y = position("x" .. i, "y" .. i)
  kinetic(m/2 * (velocity(x)^2 + velocity(y)^2))
  potential(m*g*y)
  constraint("rod" .. i, (x - x0)^2 + (y - y0)^2 - L^2)
  guess{ [x] = i, [y] = 0 }
  draw.line("rod" .. i, {x0, y0}, {x, y})
  draw.point("mass" .. i, {x, y}, { color = "blue", trace = i == N })
  x0, y0 = x, y
end

output("end-speed", sqrt(velocity(x0)^2 + velocity(y0)^2))
output("energy", energy())
simulate{ to = 2, rtol = 1e-8, every = 0.01 }
