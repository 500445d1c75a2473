-- Skates that tow each other, from guesses too far for Newton's method.
local px, py, ph
for i = 1, 4 do
  local x, y, h = position("x" .. i, "y" .. i, "h" .. i)
  local a, s, w = speed("a" .. i, "s" .. i, "w" .. i)
  kinematics(x, a*cos(h) - s*sin(h)) kinematics(y, a*sin(h) + s*cos(h)) kinematics(h, w)
  mass(a, 1) mass(s, 1) mass(w, 0.1)
  force(a, s*w) force(s, -a*w)
  nonholonomic("edge" .. i, s)
  if px then
    constraint("tow" .. i, (x + 0.5*cos(h) - px + 0.5*cos(ph))^2 + (y + 0.5*sin(h) - py + 0.5*sin(ph))^2 - 0.25)
  end
  initial{ [h] = 0.2*i }
  guess{ [x] = -1.5*i, [a] = 1, [w] = 0.1 }
  if i == 1 then initial{ [x] = 0, [y] = 0, [a] = 2 } force(w, 0.3*sin(2*time)) end
  px, py, ph = x, y, h
end
simulate{ to = 1 }
