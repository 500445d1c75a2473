-- A cart under the controller of controller.lua, as an FMU beside this file.
local x = position("x")
mass(x, param("m", 1))
local u = fmu("controller.fmu", {
    inputs = { error = 1 - x, speed = velocity(x) }, outputs = { "u" }, period = 0.05, set = { kp = 25 } })
force(x, u)
output("push", u)
simulate{ to = 2, rtol = 1e-10, every = 0.1 }
