#!/usr/bin/env python3
"""Models of many bodies with sparse matrices: cost and memory of a body by `driftless run`, and how they grow.

usage: bench/sparse_runs.py PROGRAM [LARGEST]; a table. The time of a step is processor time, the least of three (one for 1000 bodies and
more): that of the whole program minus that of the same run ended after 1e-9 s, which has script, derivation and start. Memory is
that of the whole program. Evaluations and matrices per step do not depend on what else the machine does."""

import json
import math
import os
import subprocess
import sys
import tempfile

CHAIN = """planar() gravity{0, -9.81}
local last = ground
for i = 1, setting("N", 10) do
  local b = body("b" .. i, { mass = 1, com = {i - 0.5, 0}, inertia = 1/12 })
  revolute("j" .. i, last, b, { at = {i - 1, 0} })
  last = b
end
"""
SPACE = """gravity{0, 0, -9.81}
local last = ground
for i = 1, setting("N", 10) do
  local b = body("b" .. i, { mass = 1, com = {i - 0.5, 0, 0}, inertia = {0.01, 1/12, 1/12} })
  revolute("j" .. i, last, b, { at = {i - 1, 0, 0}, axis = i % 2 == 0 and {0, 1, 0} or {0, 0.8, 0.6} })
  last = b
end
"""
LADDER = """gravity{0, 0, -9.81} -- two ropes with rungs: every rung closes a loop
local left, right = ground, ground
for i = 1, setting("N", 10) do
  local l = body("l" .. i, { mass = 1, com = {i - 0.5, 0, 0}, inertia = {0.01, 1/12, 1/12} })
  local r = body("r" .. i, { mass = 1, com = {i - 0.5, 1, 0}, inertia = {0.01, 1/12, 1/12} })
  spherical("a" .. i, left, l, { at = {i - 1, 0, 0} })
  spherical("b" .. i, right, r, { at = {i - 1, 1, 0} })
  distance("rung" .. i, l, r, { at = {i, 0, 0}, at_b = {i, 1, 0}, length = 1 })
  left, right = l, r
end
"""

NET = """local n, x, y, z = setting("N", 10), {}, {}, {} -- n x n points in space: every second vertical rod is missing
for i = 1, n do
  for j = 1, n do
    local k = i .. "_" .. j
    x[k], y[k], z[k] = position("x" .. k, "y" .. k, "z" .. k)
    for _, c in ipairs{x[k], y[k], z[k]} do mass(c, 1) end
    force(z[k], -9.81)
    initial{ [x[k]] = j, [y[k]] = i, [z[k]] = 0 }
    local function rod(name, px, py, pz)
      constraint(name .. k, (x[k] - px)^2 + (y[k] - py)^2 + (z[k] - pz)^2 - 1)
    end
    local left, below = i .. "_" .. j - 1, i - 1 .. "_" .. j
    if j > 1 then rod("h", x[left], y[left], z[left]) else rod("w", 0, i, 0) end
    if i > 1 and (i + j) % 2 == 0 then rod("v", x[below], y[below], z[below]) end
  end
end
"""
BRACED = """local px, py = 0, 0 -- squares hinged in a row, each with both diagonals: one rod of each is redundant
local function point(name, x, y)
  local a, b = position("x" .. name, "y" .. name)
  mass(a, 1) mass(b, 1) force(b, -9.81)
  guess{ [a] = x, [b] = y }
  return a, b
end
local function rod(name, ax, ay, bx, by, L) constraint(name, (ax - bx)^2 + (ay - by)^2 - L^2) end
for i = 1, setting("N", 10) do
  local bx, by = point(i .. "b", i, 0)
  local cx, cy = point(i .. "c", i, 1)
  local dx, dy = point(i .. "d", i - 1, 1)
  rod("pb" .. i, px, py, bx, by, 1) rod("bc" .. i, bx, by, cx, cy, 1) rod("cd" .. i, cx, cy, dx, dy, 1)
  rod("dp" .. i, dx, dy, px, py, 1) rod("pc" .. i, px, py, cx, cy, 2^0.5) rod("bd" .. i, bx, by, dx, dy, 2^0.5)
  px, py = bx, by
end
"""

# name, script or example, bodies for N, sizes, time
MODELS = [("points on rods", "chain.lua", lambda n: n, [10, 100, 1000, 10000], 0.5),
          ("plane chain", CHAIN, lambda n: n, [10, 100, 1000, 10000], 0.5),
          ("four-bars", "four-bar-bodies.lua", lambda n: 2 * n + 1, [5, 50, 500, 5000], 2),
          ("train", "train.lua", lambda n: n, [10, 100, 1000, 10000], 20),
          ("chain in space", SPACE, lambda n: n, [10, 100, 1000], 0.5),
          ("rope ladder", LADDER, lambda n: 2 * n, [5, 50, 200], 0.3),
          ("net of points", NET, lambda n: n * n, [4, 10, 30, 100], 0.2),
          ("braced squares", BRACED, lambda n: 3 * n, [3, 30, 300, 3000], 0.5)]


def run(program, path, n, to):
    """Processor time (s), memory (MB), attempted steps, evaluations and matrices, and matrices that needed pivots."""
    command = [program, "run", path, "--set", f"N={n}", "--linear", "sparse", "--method", "radau5", "--rtol", "1e-6",
               "--to", str(to), "--every", str(to), "--json", "--quiet"]
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        out.seek(0)
        found = json.load(out)
    if status or found["status"] != "completed":
        raise SystemExit(f"{path}, N = {n}: {found['message']}")
    return (usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, found["steps"]["attempted"],
            found["evaluations"]["eom"], found["decompositions"]["differential"], found["decompositions"]["pivoted"])


def measure(program, path, n, to, times):
    """Processor time of a step (s), and the run."""
    whole = min(run(program, path, n, to) for _ in range(times))
    start = min(run(program, path, n, 1e-9) for _ in range(times))
    return (whole[0] - start[0]) / (whole[2] - start[2]), whole


def exponent(now, before):
    """Of the number of bodies; the difference of two short runs may be noise."""
    known = before and min(now[1], before[1]) > 0
    return f"{math.log(now[1] / before[1]) / math.log(now[0] / before[0]):.2f}" if known else ""


def main():
    program, largest = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    examples = os.path.join(os.path.dirname(__file__), "..", "examples")
    print("| model | bodies | steps | evaluations per step | matrices per step | µs per body and step | slope | kB per body | with pivots |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, text, bodies, sizes, to in MODELS:
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
            file.write(text)
            file.flush()
            path = os.path.join(examples, text) if text.endswith(".lua") else file.name
            before = None
            for n in [n for n in sizes if bodies(n) <= 1.1 * largest]:
                step, (_, memory, steps, evaluations, matrices, pivoted) = measure(program, path, n, to, 1 if bodies(n) >= 1000 else 3)
                print(f"| {name} | {bodies(n)} | {steps} | {evaluations / steps:.1f} | {matrices / steps:.2f} | {1e6 * step / bodies(n):.1f} | "
                      f"{exponent((bodies(n), step), before)} | {1024 * memory / bodies(n):.0f} | {pivoted} |", flush=True)
                before = (bodies(n), step)


if __name__ == "__main__":
    main()
