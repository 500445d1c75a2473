-- A mass with parameters in all kinds of units; two of them have no meaning.
local d = param("d", 2, "N s/m")
param("c", 1, "kN*mm/deg^2")
param("far", 1, "parsec")
param("twofold", 1, "N/m s")
local x = position("x")
mass(x, 1)
force(x, -d*velocity(x))
initial{ x = 0, [velocity(x)] = 1 }
simulate{ to = 1, rtol = 1e-8, every = 0.1 }
