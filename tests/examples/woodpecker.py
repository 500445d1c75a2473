"""The woodpecker of examples/woodpecker.lua by itself: every piece of its motion is linear, so that exponentials of
matrices lead from one change of mode to the next, which bisection finds. Prints the changes and the state at the end.
usage: woodpecker.py [END]"""
import sys

import numpy as np

m, J, mb, Jb, c, g, mu = 0.3e-3, 5e-9, 4.5e-3, 7e-7, 5.6e-3, 9.81, 0.3
r, R, h, l, lb, beak, hb = 2.5e-3, 3.1e-3, 5.8e-3, 0.010, 0.015, 0.0201, 0.02
M = np.array([[m + mb, mb*l, mb*lb], [mb*l, J + mb*l*l, mb*l*lb], [mb*lb, mb*l*lb, Jb + mb*lb*lb]])
K = np.array([[0, 0, 0], [0, c, -c], [0, -c, c]])
F = -g*np.array([m + mb, mb*l, mb*lb])
names = ["beak", "lower", "upper"]
gap0 = np.array([l + lb - beak - r, R - r, R - r])
N = np.array([[0, 0, -hb], [0, h, 0], [0, -h, 0]])
T = np.array([[1, l, lb - beak], [1, R, 0], [1, R, 0]])
restitution = [0.5, 0, 0]
inverse = np.linalg.inv(M)


def field(mode):
    """x' = A x with x = (q, u, 1), and the rows of the contact forces (N, T) as functions of x."""
    free = np.hstack([-inverse @ K, np.zeros((3, 3)), (inverse @ F)[:, None]])  # accelerations
    forces = np.zeros((2, 7))
    if mode:
        i, sense = mode
        if sense:  # slips: the friction is -sense mu N
            push = inverse @ (N[i] - sense*mu*T[i])
            forces[0] = -(N[i] @ free)/(N[i] @ push)
            forces[1] = -sense*mu*forces[0]
        else:
            W = np.array([N[i], T[i]])
            forces = -np.linalg.solve(W @ inverse @ W.T, W @ free)
        free = free + np.outer(inverse @ N[i], forces[0]) + np.outer(inverse @ T[i], forces[1])
    A = np.zeros((7, 7))
    A[:3, 3:6] = np.eye(3)
    A[3:6] = free
    return A, forces


def move(A, x, t):
    """exp(A t) x by Taylor's series, for short times."""
    term, total = x, x.copy()
    for k in range(1, 30):
        term = A @ term*(t/k)
        total = total + term
    return total


def conditions(mode, forces):
    """Rows that are positive on x as long as the mode lasts, with what ends."""
    rows = [(np.concatenate([N[i], np.zeros(3), [gap0[i]]]), ("hit", i)) for i in range(3) if not mode or i != mode[0]]
    if mode:
        i, sense = mode
        rows.append((forces[0], ("opens", i)))
        if sense:
            rows.append((np.concatenate([np.zeros(3), sense*T[i], [0]]), ("stops", i)))
        else:
            rows += [(mu*forces[0] - s*forces[1], ("slips", -s)) for s in (1, -1)]
    return rows


def impact(u, i):
    """Poisson's law along Routh's path."""
    D = np.array([N[i], T[i]]) @ inverse @ np.array([N[i], T[i]]).T
    speed, slip, normal, tangent, end = N[i] @ u, T[i] @ u, 0., 0., None
    while end is None or normal < end*(1 - 1e-13):
        stick = -D[0, 1]/D[1, 1]
        k = -mu*np.sign(slip) if slip else np.clip(stick, -mu, mu)
        rate, turn = D[0, 0] + k*D[0, 1], D[0, 1] + k*D[1, 1]
        if not slip and abs(stick) <= mu:
            turn = 0.
        step = -speed/rate if end is None else end - normal
        stopping = -slip/turn if slip*turn < 0 else np.inf
        stops = stopping <= step
        step = min(step, stopping)
        normal, tangent, speed = normal + step, tangent + k*step, speed + rate*step
        slip = 0. if stops else slip + turn*step
        if not stops and end is None:
            end, speed = (1 + restitution[i])*normal, 0.
    return u + inverse @ (N[i]*normal + T[i]*tangent), normal, tangent


def closed(x, i):
    """The mode of contact i, which touches without speed: slips, sticks or opens."""
    slip = T[i] @ x[3:6]
    senses = [np.sign(slip)] if abs(slip) > 1e-10 else [0, 1, -1]
    for sense in senses:
        A, forces = field((i, sense))
        normal, friction = forces @ x
        holds = abs(friction) <= mu*normal if sense == 0 else abs(slip) > 1e-10 or sense*(T[i] @ (A @ x)[3:6]) > 0
        if normal > 0 and holds:
            return i, sense
    return None


def run(end):
    x = np.array([0, -(R - r)/h, -0.2788, -0.3411, 0, -7.4583, 1.])
    t, mode, dt, told = 0., closed(np.array([0, -(R - r)/h, -0.2788, -0.3411, 0, -7.4583, 1.]), 1), 2e-5, []
    while t < end:
        A, forces = field(mode)
        rows = conditions(mode, forces)
        beginning = [row @ x for row, _ in rows]
        for _ in range(int(1e6)):
            step = min(dt, end - t)
            after = move(A, x, step)
            # a gap that has just been left is not closed while it grows
            passed = [k for k, (row, _) in enumerate(rows) if row @ after < 0 and (row @ x > 0 or row @ A @ x < 0)]
            if passed or t + step >= end:
                break
            x, t = after, t + step
        if not passed:
            return move(A, x, end - t), told
        first, what = step, None
        for k in passed:
            low, high = 0., step
            while high - low > 1e-16:
                middle = (low + high)/2
                low, high = (middle, high) if rows[k][0] @ move(A, x, middle) > 0 else (low, middle)
            if high <= first:
                first, what = high, rows[k][1]
        x, t = move(A, x, first), t + first
        kind, i = what
        if kind == "hit":
            x[3:6], normal, tangent = impact(x[3:6], i)
            told.append((t, names[i], "impact", normal, tangent))
            mode = closed(x, i) if abs(N[i] @ x[3:6]) < 1e-12 else mode
        elif kind == "opens":
            mode = None
        elif kind == "stops":
            x[3:6] -= inverse @ T[i]*(T[i] @ x[3:6])/(T[i] @ inverse @ T[i])
            mode = closed(x, i)
        else:
            mode = (mode[0], i)
        told.append((t, str(mode and names[mode[0]]), "mode", mode and mode[1]))
    return x, told


state, told = run(float(sys.argv[1]) if len(sys.argv) > 1 else 0.3)
for line in told:
    print(*line)
print(*("%.15g" % value for value in state[:6]))
