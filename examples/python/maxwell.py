"""A mass on a spring beside a Maxwell element: ../maxwell.lua in Python."""
import driftless as dl

model = dl.Model()
m, k = model.param("m", 1, "kg"), model.param("k", 20, "N/m")
c, d = model.param("c", 50, "N/m"), model.param("d", 5, "N s/m")  # spring and damper of the element

x = model.position("x")
v = model.velocity(x)
model.kinetic(m/2 * v**2)
model.potential(k/2 * x**2)

# stretching: v = F'/c + F/d
F = model.dynamic("F", lambda F: c*(v - F/d))
model.force(x, -F)

model.output("loss", F**2/d)  # power that the damper turns into heat

model.draw.spring("spring", [-0.5, 0], [x, 0])
model.draw.box("mass", [x, 0], size=0.1)

model.initial({x: 0.1, v: 0, F: 0})
model.simulate(to=5, rtol=1e-8, every=0.01)

if __name__ == "__main__":
    print(model.run().text)
