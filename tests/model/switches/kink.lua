-- A cart that starts with 1 m/s at t = 1; elliptic functions.
planar() gravity{0, -9.81}
local cart = body("cart", {mass = 1}) local bob = body("bob", {mass = 1, com = {0, -1}})
prismatic("rail", ground, cart, {at = {0, 0}, axis = {1, 0}, motion = max(0, time - 1)})
local pin = revolute("pin", cart, bob, {at = {0, 0}})
event("turn", pin.qd, {direction = "rising"})
event("back", pin.qd, {direction = "falling"})
output("after", pin.qd)
-- event turn 1 1.50475848724435897
-- event back 2 2.5142754617330769
-- value 1.0000000001 after -1
-- value 2 pin.q -.0095155652219462829
-- value 2.5142754617330769 pin.q .3206472996532126
-- value 5 pin.q .037977771069187211
-- value 5 der(pin.q) -.99290111727509803
