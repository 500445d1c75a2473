"""A chain of N point masses hangs from the origin by rods and is let go from the horizontal: ../chain.lua in Python."""
import driftless as dl
from driftless import sqrt


def chain(**values):
    """A chain; chain(N=30) is a longer one."""
    model = dl.Model(**values)
    N = model.setting("N", 10)
    m, L, g = model.param("m", 1, "kg"), model.param("L", 1, "m"), model.param("g", 9.81, "m/s^2")

    x0, y0 = 0, 0  # where the next rod begins
    for i in range(1, N + 1):
        x, y = model.position(f"x{i}", f"y{i}")
        model.kinetic(m/2 * (model.velocity(x)**2 + model.velocity(y)**2))
        model.potential(m*g*y)
        model.constraint(f"rod{i}", (x - x0)**2 + (y - y0)**2 - L**2)
        model.guess({x: i, y: 0})
        model.draw.line(f"rod{i}", [x0, y0], [x, y])
        model.draw.point(f"mass{i}", [x, y], color="blue", trace=i == N)
        x0, y0 = x, y

    model.output("end-speed", sqrt(model.velocity(x0)**2 + model.velocity(y0)**2))
    model.output("energy", model.energy())
    model.simulate(to=2, rtol=1e-8, every=0.01)
    return model


m = chain()

if __name__ == "__main__":
    print(m.run().text)
