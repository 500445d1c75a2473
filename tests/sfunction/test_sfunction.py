"""Exported S-functions, compiled with a stand-in of Simulink's structure and called as Simulink calls them, give
the motion of the program: with the solver inside, and integrated outside with mdlProjection. Nothing of it was
run in Matlab.
usage: test_sfunction.py PROGRAM SOURCE-FOLDER"""
import csv
import io
import os
import subprocess
import sys
import tempfile

program, root = sys.argv[1:3]
here = os.path.dirname(os.path.abspath(__file__))
folder = tempfile.TemporaryDirectory()
cc = os.environ.get("CC", "cc").split()
RTOL = 1e-8
solver = None


def build(model):
    global solver
    name = "block_" + os.path.basename(model).replace("-", "_").replace(".lua", "")
    path = os.path.join(folder.name, name)
    subprocess.run([program, "export", model, "--sfunction", "--quiet", "--rtol", str(RTOL), "--output",
                    path + ".c"], check=True)
    if not solver:  # it is the same for all models
        solver = path + "_solver.o"
        subprocess.run([*cc, "-O0", "-w", "-Wno-psabi", "-c", path + "_solver.c", "-o", solver], check=True)
    subprocess.run([*cc, "-O1", "-Wall", "-Wno-unused", "-Wno-address", "-Werror", "-I", here,
                    path + ".c", solver, "-lm", "-o", path], check=True)
    return path


def call(path, *arguments):
    out = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    return [float(line) for line in out.stdout.split()]


def run(model, end, *options):
    text = subprocess.run([program, "run", model, "--quiet", "--to", str(end), "--every", str(end), "--rtol",
                           str(RTOL / 100), "--output", "-", *options], check=True, capture_output=True,
                          text=True).stdout
    rows = list(csv.reader(io.StringIO(text)))
    return dict(zip(rows[0], map(float, rows[-1])))


def distance(found, names, expected):
    return max(abs(x - expected[n]) / max(1, abs(expected[n])) for x, n in zip(found, names))


crank = os.path.join(root, "examples", "slider-crank.lua")
names = ["lambda(pin-x)", "lambda(pin-y)", "der(phi)", "der(theta)", "der(x)", "phi", "theta", "x",
         "pin-force", "energy"]
block = build(crank)
expected = run(crank, 0.5)
inside = distance(call(block, 0.5, 0.05, 10), names, expected)
outside = distance(call(block, 0.5, 0, 500), names, expected)
print("slider-crank: solver inside %.1e, outside %.1e" % (inside, outside))
assert inside < 10 * RTOL and outside < 1e-7
changed = run(crank, 0.5, "--set", "m1=0.5", "--set", "g=5")
values = [0.5, 0.151104, 0.075552, 0.15, 0.3, 5]
assert distance(call(block, 0.5, 0.1, 5, *values), names, changed) < 10 * RTOL
assert subprocess.run([block, "0.5", "0.1", "5", "1"], capture_output=True).returncode == 1  # one parameter

stops = os.path.join(root, "tests", "fmu", "stops.lua")
names = ["lambda(line)", "der(x)", "der(y)", "x", "y", "gap"]
inside = distance(call(build(stops), 3, 0.1, 30), names, run(stops, 3))
print("stops: solver inside %.1e" % inside)
assert inside < 10 * RTOL

massless = os.path.join(root, "examples", "massless-node.lua")
names = ["der(first.q)", "der(second.q)", "first.q", "second.q", "x1", "x2", "v2"]
block, expected = build(massless), run(massless, 0.5)
inside = distance(call(block, 0.5, 0.05, 10), names, expected)
outside = distance(call(block, 0.5, 0, 8000), names, expected)  # c/d = 5000/s
print("massless-node: solver inside %.1e, outside %.1e" % (inside, outside))
assert inside < 10 * RTOL and outside < 1e-7

sampled = os.path.join(root, "tests", "fmu", "sampled.lua")
names = ["der(x)", "x", "held", "count", "mark", "work"]
block, expected = build(sampled), run(sampled, 1.97)
inside = distance(call(block, 1.97, 0.197, 10), names, expected)
outside = distance(call(block, 1.97, 0, 500), names, expected)
print("sampled: solver inside %.1e, outside %.1e" % (inside, outside))
assert inside < 10 * RTOL and outside < 1e-7

knocks = os.path.join(root, "examples", "backlash.lua")
names = ["lambda(teeth.lower)", "lambda(teeth.upper)", "der(a)", "der(b)", "a", "b"]
outside = distance(call(build(knocks), 0.5, 0, 1000), names, run(knocks, 0.5))
print("backlash: solver outside %.1e" % outside)
assert outside < 1e-6
