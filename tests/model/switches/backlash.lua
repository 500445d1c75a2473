-- Two masses with a gap of 0.1 between them, e = 0.6.
local a, b = position("a", "b") mass(a, 1) mass(b, 3)
stop("gap", a - b, {lower = -0.05, upper = 0.05, restitution = 0.6})
initial{a = 0, b = 0, ["der(a)"] = 1, ["der(b)"] = 0}
-- value 3.1 der(a) .284992
-- value 3.1 der(b) .238336
-- event gap.upper.impact 1 0.050000000000000003
-- event gap.lower.impact 1 0.21666666666666667
-- event gap.upper.impact 2 0.49444444444444446
-- event gap.lower.impact 2 0.95740740740740737
-- event gap.upper.impact 3 1.7290123456790123
-- event gap.lower.impact 3 3.0150205761316871
-- count all 6
