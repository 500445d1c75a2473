"""A crank turns, a rod pushes a slider to and fro: ../slider-crank.lua in Python."""
import driftless as dl
from driftless import cos, pi, sin, sqrt

m = dl.Model()
m1, m2, m3 = m.param("m1", 0.36, "kg"), m.param("m2", 0.151104, "kg"), m.param("m3", 0.075552, "kg")
l1, l2 = m.param("l1", 0.15, "m"), m.param("l2", 0.3, "m")
g = m.param("g", 9.81, "m/s^2")

# angles of crank and rod from the x axis, position of the slider
phi, theta, x = m.position("phi", "theta", "x")
vphi, vtheta, vx = m.velocity(phi, theta, x)
pin_x, pin_y = l1*cos(phi), l1*sin(phi)

# uniform bars: m l^2/3 about an end, m l^2/12 about the middle
m.kinetic(m1*l1**2/6 * vphi**2)
m.kinetic(m2/2 * ((vx + l2/2*sin(theta)*vtheta)**2 + (l2/2*cos(theta)*vtheta)**2 + l2**2/12*vtheta**2))
m.kinetic(m3/2 * vx**2)
m.potential(g * (m1*pin_y/2 - m2*l2/2*sin(theta)))

# the rod leads from the pin to the slider, which stays on the axis
along = m.constraint("pin-x", pin_x + l2*cos(theta) - x)
across = m.constraint("pin-y", pin_y + l2*sin(theta))

m.output("pin-force", sqrt(m.multiplier(along)**2 + m.multiplier(across)**2))
m.output("energy", m.energy())

m.draw.line("guide", [l2 - 2*l1, 0], [l2 + 2*l1, 0], size=0.002)
m.draw.line("crank", [0, 0], [pin_x, pin_y], size=0.02, color="blue")
m.draw.line("rod", [pin_x, pin_y], [x, 0], size=0.014, color="orange")
m.draw.box("slider", [x, 0], size=[0.08, 0.05], color="green")
m.draw.point("pin", [pin_x, pin_y], size=0.02, color="black", trace=True)

m.initial({phi: pi/2, vphi: 10})
m.guess(x=0.25, theta=-0.5)
m.simulate(to=2, rtol=1e-8, every=0.01)

if __name__ == "__main__":
    print(m.run().text)
