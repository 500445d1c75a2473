"""N four-bar linkages in a row, one motion: ../four-bar-bodies.lua in Python."""
import driftless as dl


def linkage(**values):
    """N + 1 bars hang side by side, N couplers join their ends; linkage(N=40) has 81 bodies and 40 closed loops."""
    m = dl.Model(**values)
    m.planar()
    N = m.setting("N", 7)
    lean, turn = m.param("lean", 1, "rad"), m.param("turn", 0, "rad/s")  # of the bars at the start
    m.gravity([0, -9.81])

    def bar(name, x, y):
        """A uniform bar of 1 m and 1 kg."""
        return m.body(name, mass=1, com=[x, y], inertia=1/12)

    hanging = bar("bar0", 0, -0.5)
    first = m.revolute("A0", m.ground, hanging, at=[0, 0])
    for i in range(1, N + 1):
        next_hanging, coupler = bar(f"bar{i}", i, -0.5), bar(f"coupler{i}", i - 0.5, -1)
        bearing = m.revolute(f"A{i}", m.ground, next_hanging, at=[i, 0])
        pin = m.revolute(f"B{i - 1}", hanging, coupler, at=[i - 1, -1])
        m.revolute(f"C{i}", coupler, next_hanging, at=[i, -1])  # closes the loop
        m.guess({bearing.q: lean, bearing.qd: turn, pin.q: -lean, pin.qd: -turn})
        hanging = next_hanging

    tip = m.point(hanging, [N, -1])
    m.output("x", tip.x - N)
    m.output("y", tip.y)
    m.output("energy", m.energy())

    m.initial({first.q: lean, first.qd: turn})
    m.simulate(to=2, rtol=1e-8, every=0.01)
    return m


m = linkage()

if __name__ == "__main__":
    print(m.run().text)
