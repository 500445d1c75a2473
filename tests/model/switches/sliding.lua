-- x'' = -3 sign(x + x') reaches the line x' = -x and follows it.
local x = position("x") mass(x, 1) local c = x + velocity(x)
force(x, -3*sign(c))
initial{x = 2, ["der(x)"] = 0}
-- value .52752523165194667 x 1.58257569495584
-- value .52752523165194667 der(x) -1.58257569495584
-- value 3 x .13353107429937369
-- value 3 der(x) -.13353107429937369
