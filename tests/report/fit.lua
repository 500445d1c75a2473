-- A mass on a spring, fitted to noisy measurements.
local k, d = param("k", 30), param("d", 0.2)
local x = position("x"); mass(x, 1); force(x, -k*x - d*velocity(x)); initial{ x = 1, [velocity(x)]=0 }
draw.point("m", {x, 0}); output("x2", 2*x)
optimize{ vary = { k = {5, 60}, d = {0.01, 3} }, fit = { file = "measured.csv", x = "x" } }
simulate{ to = 3, rtol = 1e-8, every=0.01 }
