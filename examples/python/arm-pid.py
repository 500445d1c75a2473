"""A motor with a gear lifts an arm, led by a controller: ../arm-pid.lua in Python."""
import driftless as dl
from driftless import pi

model = dl.Model()
model.gravity([0, 0, -9.81])
m, L, load = model.param("m", 2, "kg"), model.param("L", 0.8, "m"), model.param("load", 1, "kg")
target = model.input("target", 1)  # rad above the horizontal

beam = model.body("beam", mass=m, com=[L/2, 0, 0], inertia=[0, m*L**2/12, m*L**2/12])
bag = model.body("bag", mass=load, com=[L, 0, 0])
hinge = model.revolute("hinge", model.ground, beam, at=[0, 0, 0], axis=[0, -1, 0])
model.fixed("strap", beam, bag, at=[L, 0, 0])

reference = model.lag("reference", target, 0.2)
control = model.pid("control", reference=reference, value=hinge.q, p=60, i=80, d=12, filter=0.02, limit=24, windup=0.1)
motor = model.actuator("motor", hinge, voltage=control.out, resistance=0.8, inductance=2e-3, constant=0.05, gear=80)
model.friction("bearing", hinge, load=20, coefficient=0.1, radius=0.03, speed=0.05)

model.output("error", control.error, "rad")
model.output("voltage", motor.u, "V")
model.output("torque", motor.f, "N m")
model.output("hinge", hinge)

tip = model.point(bag, [L, 0, 0])
model.output("tip", tip, "position", "acceleration")
model.draw.sphere("bag", [L, 0, 0], body=bag, radius=0.08, color="orange", trace=True)

model.initial({hinge.q: -pi/2, "reference": -pi/2})
model.simulate(to=4, rtol=1e-7, every=0.02)

if __name__ == "__main__":
    print(model.run().text)
