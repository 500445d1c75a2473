-- The same without an FMU: the integral is a sum of samples.
local x = position("x")
mass(x, param("m", 1))
local u, z, e = discrete("u", 0), discrete("z", 0), discrete("e", 0)
sample("controller", { period = 0.05, set = {
    [z] = z + 0.05*e, [e] = 1 - x, [u] = 25*(1 - x) + 8*(z + 0.05*e) - 4*velocity(x) } })
force(x, u)
output("push", u)
simulate{ to = 2, rtol = 1e-10, every = 0.1 }
