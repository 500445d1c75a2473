#!/usr/bin/env python3
"""Dense, tree and sparse matrices give the same motion: all examples, and the models of linear/, to the end of their
runs or to the time given here. `driftless run MODEL --linear dense|tree|sparse` must agree in every variable shown,
in the number of events and of switches, or refuse the model with the reason and status 2. A notice says when KLU factors matrices."""
import json
import os
import subprocess
import sys
import tempfile

PROGRAM, SOURCE = sys.argv[1], sys.argv[2]
ENDS = {"train": 2, "chain": 0.5, "turntable": 2}  # s; dense matrices of the train take long
# Errors of both runs: motions that amplify them, and multipliers of coarse tolerances.
CLOSE = {"train": 1e-4, "tilted-loop": 2e-5,  # the loop is right to its misfit
         "walker": 2e-5}
USUAL, LEAST = 2e-6, 0.05
COUNTLESS = {"landing-chain", "walker"}  # impacts that alternate until tolerances end it


def run(path, linear, end):
    command = [PROGRAM, "run", path, "--linear", linear, "--json"]
    done = subprocess.run(command + (["--to", str(end)] if end else []), capture_output=True,
                          text=True, timeout=120)
    if linear == "tree" and done.returncode == 2 and "linear = tree does not go with" in done.stderr:
        return None
    if done.returncode != 0:
        sys.exit(f"{path} --linear {linear}: {done.stdout[-400:]}{done.stderr}")
    return json.loads(done.stdout) | {"notices": done.stderr}


def compare(path):
    name = os.path.basename(path)[: -len(".lua")]
    dense, tree, sparse = (run(path, linear, ENDS.get(name)) for linear in ("dense", "tree", "sparse"))
    alone = not any(variable.startswith(("lambda(", "mu(")) for variable in dense["final"])
    if alone and not tree:
        return [f"{path}: refused with tree although nothing is constrained"]
    pairs = [(tree, "tree")] if tree else []
    return [text for other, linear in pairs + [(sparse, "sparse")]
            for text in differ(path, name, dense, other, linear)]


def differ(path, name, dense, sparse, linear):
    found = []
    for result, linear in ((dense, "dense"), (sparse, linear)):
        if result["linear"] != linear or result["status"] != "completed":
            found.append(f"{linear}: {result['linear']}, {result['status']}")
    pivoted = sparse["decompositions"]["pivoted"]
    if (pivoted > 0) != ("KLU" in sparse["notices"]):
        found.append(f"{pivoted} matrices by KLU, and the notices are: {sparse['notices']}")
    if len({any("do not fit" in warning for warning in result["warnings"]) for result in (dense, sparse)}) > 1:
        found.append(f"constraints fit in one of two: {dense['warnings']} and {sparse['warnings']}")
    for kind in ("events", "switches"):
        if name not in COUNTLESS and dense[kind]["count"] != sparse[kind]["count"]:
            found.append(f"{kind}: {dense[kind]['count']} and {sparse[kind]['count']}")
    if dense["final"].keys() != sparse["final"].keys():
        found.append("other variables: " + ", ".join(dense["final"].keys() ^ sparse["final"].keys()))
    for variable, value in dense["final"].items():
        other = sparse["final"].get(variable)
        size = max(abs(value or 0), LEAST)
        if (value is None) != (other is None) or (
                value is not None and not abs(value - other) <= CLOSE.get(name, USUAL) * size):
            found.append(f"{variable}: {value} and {other}")
    return [f"{path}, {linear}: {text}" for text in found]


def models():
    for folder in (os.path.join(SOURCE, "examples"), os.path.join(SOURCE, "tests/cli/linear")):
        for file in sorted(os.listdir(folder)):
            if file.endswith(".lua"):
                yield os.path.join(folder, file)


# Two drives of a four-bar contradict each other; bodies that hang on it make the model large.
CONTRADICTION = """planar()
local crank = body("crank", { mass = 1, com = {0, 0.5}, inertia = 0.1 })
local rod = body("rod", { mass = 1, com = {1.5, 1.5}, inertia = 0.1 })
local rocker = body("rocker", { mass = 1, com = {3, 1}, inertia = 0.1 })
local a = revolute("a", ground, crank, { at = {0, 0} })
revolute("b", crank, rod, { at = {0, 1} })
local c = revolute("c", ground, rocker, { at = {3, 0} })
revolute("d", rod, rocker, { at = {3, 2} })
drive("da", a, time) drive("dc", c, 2*time)
local last = rocker
for i = 1, setting("N", 1) do
  local b = body("b" .. i, { mass = 1, com = {3 + i, 2}, inertia = 0.1 })
  revolute("j" .. i, last, b, { at = {2.5 + i, 2} })
  last = b
end
"""


def explain(folder):
    """Names of contradictory motions take dense matrices: not those of large models, which end with the solver's message."""
    path, found = os.path.join(folder, "contradiction.lua"), []
    with open(path, "w") as file:
        file.write(CONTRADICTION)
    for n, named in ((1, True), (150, False)):
        done = subprocess.run([PROGRAM, "run", path, "--set", f"N={n}", "--linear", "sparse", "--to", "1"], capture_output=True,
                              text=True, timeout=120)
        if done.returncode == 0 or not done.stderr or ("contradict each other" in done.stderr) != named:
            found.append(f"{n} bodies, status {done.returncode}: {done.stderr}")
    return found


with tempfile.TemporaryDirectory() as scratch:
    differences = explain(scratch)
differences += [text for path in models() for text in compare(path)]
print("\n".join(differences))
sys.exit(1 if differences else 0)
