-- 159 zeros of one event.
local x = position("x") kinetic(velocity(x)^2/2)
event("e", sin(50*x))
initial{["der(x)"] = 1}
-- count e 159
-- event e 1 .062831853071795865
-- event e 80 5.0265482457436692
-- event e 159 9.9902646384155425
-- value 10 x 10
