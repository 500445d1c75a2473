"""A spinning top leans over, and instead of falling its axis wanders around the vertical: ../heavy-top.lua in Python."""
import driftless as dl
from driftless import acos, cos, sin

model = dl.Model()
m, l = model.param("m", 1, "kg"), model.param("l", 0.5, "m")  # mass, distance of its centre from the tip
J1, J3 = model.param("J1", 1, "kg m^2"), model.param("J3", 0.4, "kg m^2")  # about the centre
g = model.param("g", 9.81, "m/s^2")

# centre of mass; orientation as a quaternion; angular velocity in the body's frame
x, y, z = model.position("x", "y", "z")
q0, q1, q2, q3 = model.position("q0", "q1", "q2", "q3")
w1, w2, w3 = model.speed("w1", "w2", "w3")
model.kinematics(q0, (-q1*w1 - q2*w2 - q3*w3)/2)
model.kinematics(q1, (q0*w1 - q3*w2 + q2*w3)/2)
model.kinematics(q2, (q3*w1 + q0*w2 - q1*w3)/2)
model.kinematics(q3, (-q2*w1 + q1*w2 + q0*w3)/2)

vx, vy, vz = model.velocity(x, y, z)
model.kinetic(m/2 * (vx**2 + vy**2 + vz**2))
model.potential(m*g*z)
model.mass(w1, J1)
model.mass(w2, J1)
model.mass(w3, J3)
model.force(w1, (J1 - J3)*w2*w3)  # Euler's equations: J w' = -w x J w
model.force(w2, (J3 - J1)*w3*w1)

# the axis of the top points from its tip, which stays at the origin, to its centre
n1, n2, n3 = 2*(q1*q3 + q0*q2), 2*(q2*q3 - q0*q1), q0**2 - q1**2 - q2**2 + q3**2
model.constraint("tip-x", x - l*n1)
model.constraint("tip-y", y - l*n2)
model.constraint("tip-z", z - l*n3)

model.invariant("length", q0**2 + q1**2 + q2**2 + q3**2)
model.invariant("energy", model.energy())
model.output("lean", acos(n3))

model.draw.line("axis", [0, 0, 0], [2*x, 2*y, 2*z], size=0.03)
model.draw.cylinder("top", [x, y, z], radius=0.25, length=0.08, quaternion=[q0, q1, q2, q3])
model.draw.point("tip", [2*x, 2*y, 2*z], size=0.03, trace=True)

# leaning by 0.5 rad about the x axis, 20 rad/s about its own
model.initial(q0=cos(0.25), q1=sin(0.25), q2=0, q3=0, w1=0, w2=0, w3=20)
model.guess(z=0.5)
model.simulate(to=2, rtol=1e-8, every=0.005)

if __name__ == "__main__":
    print(model.run().text)
