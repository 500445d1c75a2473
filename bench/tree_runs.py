#!/usr/bin/env python3
"""Trees of bench_tree in motion: by driftless/multibody.h and the solver, and as a script by `driftless run`.

usage: bench/tree_runs.py BENCH_TREE_RUNS PROGRAM

Prints a table: milliseconds of CPU time of the integration from C, and of the whole program from reading the script
to the last row; the steps of both; the largest difference of the last angles."""

import csv
import json
import resource
import subprocess
import sys
import tempfile

SECONDS, TOLERANCE, REPEATS = "0.2", "1e-6", 5
MODELS = [("chain", 6), ("chain", 12), ("chain", 100), ("bintree", 7), ("bintree", 127), ("quadruped", 13)]


def output(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = output(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, text


def run_script(program, script):
    """Least CPU time of the program, its steps and the last angles."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as model, \
            tempfile.NamedTemporaryFile("r", suffix=".csv") as rows:
        model.write(script)
        model.flush()
        runs = [cpu_seconds([program, "run", model.name, "--quiet", "--json", "--output", rows.name])
                for _ in range(REPEATS)]
        last = list(csv.DictReader(rows))[-1]
    angles = [float(value) for name, value in last.items() if name.endswith(".q") and name[0] == "j"]
    return min(seconds for seconds, _ in runs), json.loads(runs[0][1])["steps"]["accepted"], angles


def main():
    bench, program = sys.argv[1:3]
    print("| model | bodies | multibody.h, ms | steps | driftless run, ms | steps | difference, rad |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for model, bodies in MODELS:
        command = [bench, model, str(bodies), SECONDS, TOLERANCE]
        ours = json.loads(output(command))
        seconds, steps, angles = run_script(program, output(command + ["script"]))
        difference = max(abs(a - b) for a, b in zip(ours["angles"], angles, strict=True))
        print(f"| {model} | {bodies} | {1e3 * ours['cpu_seconds']:.3g} | {ours['steps']} | "
              f"{1e3 * seconds:.3g} | {steps} | {difference:.0e} |", flush=True)


if __name__ == "__main__":
    main()
