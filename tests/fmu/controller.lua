-- A controller with an integral part, to be exported as an FMU: its inputs are constant between samples.
local kp, ki, kd = param("kp", 20), param("ki", 8), param("kd", 4)
local error, speed = input("error", 0), input("speed", 0)
local z = dynamic("z", error)
output("u", kp*error + ki*z - kd*speed)
simulate{ to = 2, rtol = 1e-10, every = 0.1 }
