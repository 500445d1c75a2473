-- N elastic beams of 1 m with n modes each hang together by hinges about y and z in turn and fall.
local N, n = setting("N", 8), setting("n", 4)
gravity{0, 0, -9.81}
local previous = ground
for i = 1, N do
  local beam = elastic("b"..i, { beam = { from = {i - 1, 0, 0}, to = {i, 0, 0}, width = 0.02, height = 0.03,
    E = 7e10, density = 2700 }, modes = n, damping = 0.01, nodes = { a = 0, b = 1 } })
  revolute("j"..i, previous, beam.a, { at = {i - 1, 0, 0}, axis = i % 2 == 1 and {0, 1, 0} or {0, 0, 1} })
  previous = beam.b
end
simulate{ to = 1e-3, rtol = 1e-6 }
