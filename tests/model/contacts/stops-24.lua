local x, E = {}, 0
x[0] = position("x0") mass(x[0], 0.9509) E = E + 0.9509*velocity(x[0])^2/2
initial{x0 = 0, ["der(x0)"] = 0.4967}
x[1] = position("x1") mass(x[1], 0.6711) E = E + 0.6711*velocity(x[1])^2/2
initial{x1 = 1, ["der(x1)"] = -1.996}
x[2] = position("x2") mass(x[2], 0.5879) E = E + 0.5879*velocity(x[2])^2/2
initial{x2 = 2, ["der(x2)"] = 1.0899}
x[3] = position("x3") mass(x[3], 1.5) E = E + 1.5*velocity(x[3])^2/2
initial{x3 = 3, ["der(x3)"] = 2.9925}
output("gap_0", stop("s0", x[1] - x[0], {lower = 0.6678, upper = 1.1492, restitution = 0}).gap)
force(x[0], 87.2484*(x[1] - x[0] - 1)) force(x[1], -87.2484*(x[1] - x[0] - 1)) E = E + 87.2484*(x[1] - x[0] - 1)^2/2
output("gap_1", stop("s1", x[2] - x[1], {lower = 0.6042000000000001, upper = 1.0905, restitution = 0.4}).gap)
output("gap_2", stop("s2", x[3] - x[2], {lower = 0.6913, upper = 1.2055, restitution = 0.8}).gap)
force(x[2], 99.5373*(x[3] - x[2] - 1)) force(x[3], -99.5373*(x[3] - x[2] - 1)) E = E + 99.5373*(x[3] - x[2] - 1)^2/2
friction("f1", x[1], {load = 2.5232, static = 1.3})
friction("f3", x[3], {load = 2.6661, static = 1})
unilateral("right", 3.2265 - x[3], {restitution = 0})
output("E", E)
simulate{to = 1.7379}
