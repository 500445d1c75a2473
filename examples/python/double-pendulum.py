"""Two point masses hang on two rods, one below the other: ../double-pendulum.lua in Python."""
import driftless as dl
from driftless import cos, pi, sin

m = dl.Model()
m1, m2 = m.param("m1", 1, "kg"), m.param("m2", 1, "kg")
l1, l2 = m.param("l1", 1, "m"), m.param("l2", 1, "m")
g = m.param("g", 9.81, "m/s^2")

phi, psi = m.position("phi", "psi")  # from the downward vertical
u, w = m.velocity(phi, psi)

x1, y1 = l1*sin(phi), -l1*cos(phi)
x2, y2 = x1 + l2*sin(psi), y1 - l2*cos(psi)

m.kinetic(m1/2 * l1**2*u**2)
m.kinetic(m2/2 * (l1**2*u**2 + l2**2*w**2 + 2*l1*l2*u*w*cos(phi - psi)))
m.potential(m1*g*y1 + m2*g*y2)

for name, value in {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "energy": m.energy()}.items():
    m.output(name, value)

m.draw.line("rods", [0, 0], [x1, y1], [x2, y2])
m.draw.point("first", [x1, y1], size=0.12)
m.draw.point("second", [x2, y2], size=0.12, trace=True)

m.initial({phi: pi/2, psi: pi/2, u: 0, w: 0})
m.simulate(to=10, rtol=1e-9, every=0.02)

if __name__ == "__main__":
    print(m.run().text)
