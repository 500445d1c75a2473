-- a mistake in line 2
local x = positon("x")
