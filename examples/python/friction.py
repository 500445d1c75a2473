"""A rod slides with its ends in two slots, one horizontal and one vertical, and comes to rest: ../friction.lua in Python."""
import driftless as dl
from driftless import cos, sin, sqrt, tanh

model = dl.Model()
m, l = model.param("m", 2, "kg"), model.param("l", 0.5, "m")  # mass and half length
g = model.param("g", 9.81, "m/s^2")
mu, preload = model.param("mu", 0.04), model.param("preload", 5, "N")
lever = model.param("lever", 0.5)  # how much friction itself presses on the slot
slow = model.param("slow", 0.05, "m/s")  # friction changes its sign about here

x, y, theta = model.position("x", "y", "theta")  # middle of the rod, angle from the vertical
vx, vy, vtheta = model.velocity(x, y, theta)
J = m*l**2/3
model.kinetic(m/2 * (vx**2 + vy**2) + J/2*vtheta**2)
model.potential(m*g*y)
slot = model.constraint("slot", y + l*cos(theta))  # the upper end stays at height 0
model.constraint("guide", x - l*sin(theta))        # the lower end stays below the origin

# Coulomb friction at the upper end, smooth around rest
sliding = vx + l*cos(theta)*vtheta
tau = tanh(sliding/slow)


def law(w):
    load = sqrt(model.multiplier(slot)**2 + preload**2) + lever*w*tau
    return w - mu*load*tau


w = model.auxiliary("w", law)
model.force(x, -w)
model.force(theta, -w*l*cos(theta))

model.output("energy", model.energy())

model.draw.line("slots", [-1, 0], [1, 0], [0, 0], [0, -1])
model.draw.line("rod", [x + l*sin(theta), y + l*cos(theta)], [x - l*sin(theta), y - l*cos(theta)], size=0.04, color="blue")
model.draw.point("middle", [x, y], trace=True)

model.initial({theta: 1, vtheta: 0})
model.guess(x=0.4, y=-0.3)
model.simulate(to=5, rtol=1e-8, every=0.02)

if __name__ == "__main__":
    print(model.run().text)
