"""An elliptic cam lifts a flat follower, twice in every turn, against its spring: ../cam-follower.lua in Python."""
import driftless as dl
from driftless import cos, pi, sin

m = dl.Model()
a, b = m.param("a", 0.05, "m"), m.param("b", 0.03, "m")  # half axes of the ellipse
k = m.param("k", 2000, "N/m")
preload = m.param("preload", 0.03, "m")

m.planar()
cam = m.body("cam", mass=1, inertia=0.01)
follower = m.body("follower", mass=0.2, com=[0, 0.1])
axle = m.revolute("axle", m.ground, cam, at=[0, 0])
guide = m.prismatic("guide", m.ground, follower, at=[0, 0.1], axis=[0, 1])

touch, s, _ = m.contact_curves("touch", cam, follower,
                               curve_a=lambda s: (a*cos(s), b*sin(s)),
                               curve_b=lambda s: (s, b),  # the flat face, as high as the cam in the drawing
                               start=[pi/2, 0])
m.potential(k/2*(guide.q + preload)**2)

m.output("energy", m.energy(), "J")
m.output("force", m.multiplier(touch), "N")

m.draw.point("contact", [a*cos(s), b*sin(s)], body=cam, size=0.004, trace=True)

m.initial({axle.q: 0, axle.qd: 20})
m.simulate(to=1, rtol=1e-8, every=0.002)

if __name__ == "__main__":
    print(m.run().text)
