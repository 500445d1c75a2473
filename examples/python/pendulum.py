"""A point mass swings on a rigid rod, described by its Cartesian coordinates x and y: ../pendulum.lua in Python."""
import driftless as dl

m = dl.Model()
mass, L, g = m.param("m", 1, "kg"), m.param("L", 1, "m"), m.param("g", 13.75, "m/s^2")

x, y = m.position("x", "y")
m.kinetic(mass/2 * (m.velocity(x)**2 + m.velocity(y)**2))
m.potential(mass*g*y)
m.constraint("rod", x**2 + y**2 - L**2)

m.draw.line("rod", [0, 0], [x, y])
m.draw.point("bob", [x, y], size=0.12, trace=True)

m.initial(x=1, y=0)
m.simulate(to=10, rtol=1e-8, every=0.05)

if __name__ == "__main__":
    print(m.run().text)
