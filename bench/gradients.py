#!/usr/bin/env python3
"""What gradients cost: time of a run with derivatives over that of the plain run, both as differences of two
lengths of the run, so that loading and starting do not count. CPU time, the least of several repeats. Errors are those
against rtol = 1e-11. Neither run computes rows between its steps. "Steps of the plain run": they are chosen for the state
alone (--error-control state).
usage: gradients.py PROGRAM [EXAMPLES-FOLDER]"""
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

REPEATS = 3


def seconds(command):
    """CPU time of a command, the least of REPEATS."""
    best = float("inf")
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime - before.ru_utime)
    return best


def slope(command, short, long):
    return seconds(command + ["--to", str(long)]) - seconds(command + ["--to", str(short)])


def forced(count):
    """A pendulum with a torque of `count` parameters."""
    terms = " + ".join(f"p{k}*sin({k + 1}*time)" for k in range(count))
    lines = [f"local p{k} = param('p{k}', {0.3 / (k + 1)})" for k in range(count)]
    if count > 100:  # Lua has at most 200 local variables
        lines = [f"p{k} = param('p{k}', {0.3 / (k + 1)})" for k in range(count)]
    return "\n".join(lines + [
        "local x, y = position('x', 'y') mass(x, 1) mass(y, 1)",
        "constraint('rod', x^2 + y^2 - 1) potential(9.81*y)",
        f"force(x, -y*({terms})) force(y, x*({terms}))",
        "initial{ x = 1 } guess{ y = 0.1 }", "simulate{ to = 1 }"])


def gradient(command):
    """The derivatives as a list."""
    text = subprocess.run(command + ["--json"], check=True, capture_output=True, text=True).stdout
    return list(json.loads(text)["gradient"].values())


def error(command, exact):
    """The largest error of the gradient over its largest entry."""
    found = gradient(command)
    return max(abs(a - b) for a, b in zip(found, exact)) / max(abs(b) for b in exact)


def without_rows(folder, examples, name):
    """A copy of an example that asks for no rows."""
    with open(os.path.join(examples, name), encoding="utf-8") as file:
        text = re.sub(r", every = [0-9.e-]+", "", file.read())
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def tolerances(tolerance):
    return ["--rtol", tolerance, "--atol", tolerance]


def row(program, name, path, of, by, short, long):
    common, loose, tight = ["--evaluation", "tape"], tolerances("1e-8"), tolerances("1e-11")
    plain = slope([program, "run", path, "--quiet", "--json"] + common + loose, short, long)
    ratios, errors = [], []
    exact = None
    for how, control in (("direct", "state"), ("direct", "all"), ("adjoint", "all")):
        command = [program, "gradient", path, "--of", of, "--derivatives", how,
                   "--error-control", control, "--quiet"] + common
        if by:
            command += ["--by", by]
        ratios.append(slope(command + loose, short, long) / plain)
        end = ["--to", str(long)]
        exact = exact or gradient(command + end + tight)
        errors.append(error(command + end + loose, exact))
    cells = [name, f"{plain:.3f}"] + [f"{ratio:.2f}" for ratio in ratios]
    print("| " + " | ".join(cells + [", ".join(f"{e:.1e}" for e in errors)]) + " |", flush=True)


def main():
    program = sys.argv[1]
    examples = sys.argv[2] if len(sys.argv) > 2 else "examples"
    print("| model, parameters | plain run, s | direct / plain, steps of the plain run | direct / plain "
          "| value and adjoint / plain | errors of the gradient, relative |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for name, file, of, by, short, long in (
                ("pendulum, 2", "pendulum.lua", "y", "m,g", 1, 399.3),
                ("slider crank, 5", "slider-crank.lua", "x", "l1,l2,m1,m2,m3", 1, 40),
                ("andrews, 3", "andrews.lua", "spring", None, 0.01, 0.5)):
            row(program, name, without_rows(folder, examples, file), of, by, short, long)
        for count, end in ((5, 401), (40, 41)):
            path = os.path.join(folder, f"forced{count}.lua")
            with open(path, "w", encoding="utf-8") as file:
                file.write(forced(count))
            row(program, f"pendulum with a torque, {count}", path, "x", None, 1, end)


main()
