-- A quarter car over a bump of 50 mm and 50 ms; exponentials of the pieces, 30 digits.
local w, b = position("w", "b")
kinetic(20*velocity(w)^2 + 150*velocity(b)^2)
local s = 10*time - 5
local road = select(s, select(0.5 - s, 0.025*(1 - cos(4*pi*s)), 0), 0)
local f = 20e3*(w - b) + 1500*(velocity(w) - velocity(b))
force(b, f) force(w, 180e3*(road - w) - f)
event("highest_b", velocity(b), {direction = "falling"})
event("highest_w", velocity(w), {direction = "falling"})
output("acc", acceleration(b))
-- event highest_w 1 .54601516586408068
-- event highest_b 1 .57881650054022411
-- value .53111083079263935 acc 11.177180714232128
-- value .54601516586408068 w .046370437679274633
-- value .56731262374178605 acc -11.040716711298727
-- value .57881650054022411 b .0095062165186579028
-- value .6 w -.015545048402930594
-- value .6 b .0084001278447953353
-- value .6 der(w) .52160975050956554
-- value .6 der(b) -.069237383390973732
-- value 3 w 5.5187214131429326e-6
-- value 3 b 2.8292850753829826e-5
-- value 3 der(w) 1.4690408703609648e-5
-- value 3 der(b) 3.6254326252969315e-4
