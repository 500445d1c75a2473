"""A ball with spin is thrown on the floor: it bounces, grips, slides and rolls: ../ball.lua in Python."""
import driftless as dl

m = dl.Model()
g, r = m.param("g", 9.81), m.param("r", 0.1)
x, y, turn = m.position("x", "y", "turn")
m.mass(x, 1)
m.mass(y, 1)
m.mass(turn, 0.4*r**2)
m.force(y, -g)

slip = m.velocity(x) - r*m.velocity(turn)
floor = m.unilateral("floor", y - r, restitution=0.7, friction=0.2, slip=slip)
m.output("normal", floor.f)
m.output("grip", floor.friction)
m.output("slip", slip)
m.draw.sphere("ball", [x, y], radius=r)
m.draw.line("floor", [-1, 0], [12, 0])

m.initial({x: 0, y: 1, turn: 0, "der(x)": 2, "der(y)": 0, "der(turn)": -40})
m.simulate(to=6, rtol=1e-8, every=0.01)

if __name__ == "__main__":
    print(m.run().text)
