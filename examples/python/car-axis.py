"""The axle of a car drives over a bumpy road (car axis of the test set): ../car-axis.lua in Python."""
import driftless as dl
from driftless import sin, sqrt

m = dl.Model()
M, eps = m.param("M", 10), m.param("eps", 1e-2)
L, L0 = m.param("L", 1), m.param("L0", 0.5)
r, omega = m.param("r", 0.1), m.param("omega", 10)
k = eps**2*M/2

xl, yl, xr, yr = m.position("xl", "yl", "xr", "yr")  # both ends of the body
v = m.velocity(xl, yl, xr, yr)

# the right wheel
yb = r*sin(omega*m.time)
xb = sqrt(L**2 - yb**2)

m.kinetic(k/2 * (v[0]**2 + v[1]**2 + v[2]**2 + v[3]**2))
m.potential(k*(yl + yr))

# springs from the wheels to the body
left, right = sqrt(xl**2 + yl**2), sqrt((xr - xb)**2 + (yr - yb)**2)
m.potential((left - L0)**2/2 + (right - L0)**2/2)

m.constraint("upright", xb*xl + yb*yl)  # the left spring is at right angles to the axle
m.constraint("body", (xl - xr)**2 + (yl - yr)**2 - L**2)

m.output("bump", yb)

m.draw.line("axle", [0, 0], [xb, yb])
m.draw.line("body", [xl, yl], [xr, yr], size=0.06, color="blue")
m.draw.spring("left", [0, 0], [xl, yl])
m.draw.spring("right", [xb, yb], [xr, yr])
m.draw.point("wheel", [xb, yb], size=0.08, color="black", trace=True)

m.initial(xl=0, yl=1/2, xr=1, yr=1/2)
m.initial(dict(zip(v, [-1/2, 0, -1/2, 0])))
m.simulate(to=3, rtol=1e-8, every=0.01)

if __name__ == "__main__":
    print(m.run().text)
