-- An ellipse rolls to and fro in a valley without slipping; its centre goes up and down.
-- Where it touches is not known beforehand: the contact variable s finds the point on its rim.
-- Rolling loses nothing, so the output `energy` stays the same.
local m = param("m", 1, "kg")
local a, b = param("a", 0.3, "m"), param("b", 0.2, "m") -- half axes
local steep = param("steep", 0.3, "1/m")                -- the valley is y = steep x^2
local g = param("g", 9.81, "m/s^2")

local x, y, phi = position("x", "y", "phi") -- centre and angle of the ellipse
local J = m*(a^2 + b^2)/4
kinetic(m/2 * (velocity(x)^2 + velocity(y)^2) + J/2*velocity(phi)^2)
potential(m*g*y)

-- from the centre to the point of the rim with parameter s
local function rim(s)
  return a*cos(s)*cos(phi) - b*sin(s)*sin(phi), a*cos(s)*sin(phi) + b*sin(s)*cos(phi)
end

-- where it touches, the rim runs as steeply as the valley
local s = contact("s", function(s)
  local rx = rim(s)
  local tx, ty = rim(s + pi/2) -- along the rim
  return ty - 2*steep*(x + rx)*tx
end)

local rx, ry = rim(s)
local slope = 2*steep*(x + rx)
constraint("touch", y + ry - steep*(x + rx)^2)

-- the point of the rim that touches stands still
local px, py = velocity(x) - velocity(phi)*ry, velocity(y) + velocity(phi)*rx
nonholonomic("roll", px + slope*py)

output("contact-x", x + rx)
output("energy", energy())

local valley = {}
for i = -20, 20 do
  valley[#valley + 1] = {i/14, steep*(i/14)^2}
end
draw.line("valley", table.unpack(valley))
draw.sphere("ellipse", {x, y}, { radius = {a, b}, angle = phi, trace = true })
draw.point("contact", {x + rx, y + ry}, { color = "black" })

initial{ x = 1, phi = 0, [velocity(phi)] = 0 }
guess{ y = 0.5, s = -1 }
simulate{ to = 5, rtol = 1e-8, every = 0.01 }
