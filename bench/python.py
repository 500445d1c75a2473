#!/usr/bin/python3
"""What the package for Python costs: a step and a value, a run, threads, functions of Python beside SciPy.
usage: PYTHONPATH=build/python bench/python.py [PROGRAM]      (after make python; SciPy if it is there)

Times are processor times, the smallest of several. On a machine that does other work the clock says little about threads."""
import os
import resource
import subprocess
import sys
import threading
import time

import driftless as dl
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
PENDULUM = os.path.join(HERE, "..", "examples", "pendulum.lua")


def best(work, count=5, clock=time.process_time):
    times = []
    for _ in range(count):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def step_and_value(count=20000):
    m = dl.loads("local x = position('x') mass(x, 1) initial{ x = 0, ['der(x)'] = 1 }")
    s = m.start()
    s.advance(1e-9)
    end = [s.time]

    def steps(advance):
        for _ in range(count):
            end[0] += 1e-6
            advance(end[0])
            s["x"]

    inner = m.start(interpolate=True, max_step=1e9)
    inner.advance(1.0)
    at = [inner.time]

    def inside():
        for _ in range(count):
            at[0] += 1e-9
            inner.advance(at[0])
            inner["x"]

    print(f"advance by a step of its own and one value   {best(lambda: steps(s.advance)) / count * 1e6:8.2f} us")
    print(f"advance inside a step and one value          {best(inside) / count * 1e6:8.2f} us")
    print(f"one value                                    {best(lambda: [s['x'] for _ in range(count)]) / count * 1e6:8.2f} us")


def run(program):
    m = dl.load(PENDULUM)
    own = best(lambda: m.run(to=1000), 7)
    print(f"pendulum, 1000 s, in Python                  {own * 1e3:8.2f} ms")
    if program:
        seconds = []
        for _ in range(7):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            subprocess.run([program, "run", PENDULUM, "--to", "1000", "--quiet", "--json"], capture_output=True, check=True)
            seconds.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
        print(f"... in the program, with its start           {min(seconds) * 1e3:8.2f} ms ({own / min(seconds):.3f} times)")


def at_once(m, count, to):
    """Seconds by the clock from the first beginning to the last end of runs in threads that begin together."""
    runs = [m.start() for _ in range(count)]
    gate = threading.Barrier(count)
    begun, ended = [0.0] * count, [0.0] * count

    def work(i):
        gate.wait()
        begun[i] = time.perf_counter()
        runs[i].advance(to)
        ended[i] = time.perf_counter()

    workers = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return max(ended) - min(begun)


def threads():
    """Runs shorter than a slice of the scheduler, the best of many: other programs of the machine disturb only some of them."""
    m = dl.load(os.path.join(HERE, "..", "examples", "double-pendulum.lua"))

    def several(count):
        workers = [threading.Thread(target=lambda: m.run(to=100)) for _ in range(count)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    one, two = min(at_once(m, 1, 5) for _ in range(300)), min(at_once(m, 2, 5) for _ in range(600))
    alone, both = (best(lambda n=n: several(n), 5) for n in (1, 2))
    print(f"two threads beside one                       {2 * one / two:8.2f} times by the clock; a run takes {both / 2 / alone:.2f} times the "
          "processor time beside another")


def functions():
    def fun(t, y):
        p, v = y[:2], y[2:]
        lam = (2 * (v @ v) - 2 * p[1] * 9.81) / (4 * (p @ p))
        return np.concatenate([v, [-2 * p[0] * lam, -9.81 - 2 * p[1] * lam]])

    def show(name, solve, drift):
        found = []
        seconds = best(lambda: found.append(solve()), 3)
        print(f"{name:44} {seconds / found[0].nfev * 1e6:8.2f} us per evaluation, {seconds:.3f} s, {found[0].nfev} evaluations, "
              f"rod off by {drift(found[0]):.0e}")

    def of_rows(r):
        return abs(np.hypot(r.y[0], r.y[1]) - 1).max()

    show("solve_ivp, y' = f(t, y)", lambda: dl.solve_ivp(fun, (0, 10), [1, 0, 0, 0], rtol=1e-6, atol=1e-6), of_rows)
    show("solve_constrained, derivatives given", lambda: dl.solve_constrained(
        lambda t, p, v: np.array([0, -9.81]), (0, 10), [1, 0], constraint=lambda t, p: np.array([p @ p - 1]),
        constraint_jac=lambda t, p: 2 * p.reshape(1, 2), constraint_bias=lambda t, p, v: np.array([2 * (v @ v)]), rtol=1e-6, atol=1e-6), of_rows)
    show("solve_constrained, derivatives found", lambda: dl.solve_constrained(
        lambda t, p, v: np.array([0, -9.81]), (0, 10), [1, 0], constraint=lambda t, p: np.array([p @ p - 1]), rtol=1e-6, atol=1e-6), of_rows)
    try:
        from scipy.integrate import solve_ivp
    except ImportError:
        return
    show("SciPy's Radau", lambda: solve_ivp(fun, (0, 10), [1, 0, 0, 0], method="Radau", rtol=1e-6, atol=1e-6), of_rows)


if __name__ == "__main__":
    step_and_value()
    run(sys.argv[1] if len(sys.argv) > 1 else None)
    threads()
    functions()
