-- A motor starts a load through a clutch: it slips, locks, and slips again when the load grows.
-- You see two speeds that become one after 5.5 s, and separate at 12 s.
-- The clutch transmits 50 N m while it slips and up to 60 N m while it is locked.
local motor, load = position("motor", "load") -- angles of two shafts
mass(motor, 2)
mass(load, 3)
force(motor, 40)
force(load, -10 - 20*max(0, time - 8))

-- 50 N m while it slips, up to 60 N m while it is locked
local clutch = friction("clutch", motor - load, { load = 50, coefficient = 1, static = 1.2 })
output("torque", clutch.f)
output("locked", 1 - abs(clutch.mode))
event("slips", abs(clutch.mode) - 0.5)

initial{ motor = 0, load = 0, ["der(motor)"] = 100, ["der(load)"] = 0 }
simulate{ to = 13, rtol = 1e-8, every = 0.02 }
