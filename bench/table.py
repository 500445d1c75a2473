#!/usr/bin/env python3
"""Turns JSON lines of bench_solver and of the peers into Markdown tables.

usage: bench/table.py FILE.jsonl... > table.md

A line is one run: problem, solver, formulation, jacobian, status (0: success), rtol, atol, steps,
fevals, jac, lu, seconds (median), seconds_min, sec_per_feval, overhead, err_p, err_v, err_lambda,
res_pos, res_vel, res_acc, energy_drift. What does not exist is null or missing. Lines whose solver
starts with "driftless" are ours, all others are peers."""

import json
import math
import statistics
import sys

TARGETS = [1e-4, 1e-6, 1e-8, 1e-10]
ORDER = ["pendulum", "andrews", "caraxis"]


def main(files):
    rows = read(files)
    if not rows:
        sys.exit("table.py: no lines in: " + " ".join(files))
    names = {r["problem"] for r in rows}
    problems = [p for p in ORDER if p in names] + sorted(names - set(ORDER))
    print("# Benchmarks")
    print("\nTimes are the least of several runs on one core (CPU time). An error is the largest of"
          "\nall components at the end of the run, relative to max(1, |reference|). Every solver is"
          "\nshown with its best formulation and tolerance for the target.")
    for problem in problems:
        mine = [r for r in rows if r["problem"] == problem]
        print_speed(problem, mine)
        print_residuals(problem, mine)
    print_overhead(rows, problems)
    print_failures(rows)


def read(files):
    """All runs; lines that are not JSON objects (a crash in the middle of a line) are skipped."""
    rows = []
    for name in files:
        with open(name, encoding="utf-8") as lines:
            for line in lines:
                try:
                    row = json.loads(line)
                except ValueError:
                    continue
                if isinstance(row, dict) and "problem" in row and "solver" in row:
                    rows.append(row)
    return rows


def ours(row):
    return row["solver"].startswith("driftless")


def succeeded(row):
    return row.get("status") == 0 and number(row.get("err_p")) is not None


def number(x):
    return x if isinstance(x, (int, float)) and math.isfinite(x) else None


def seconds(row):
    least = number(row.get("seconds_min"))
    return least if least is not None else number(row.get("seconds")) or math.inf


def error(row):
    """The achieved error of positions and velocities."""
    found = [number(row.get(key)) for key in ("err_p", "err_v")]
    return max(math.inf if x is None else x for x in found)


def fastest(rows, target):
    return min((r for r in rows if error(r) <= target), key=seconds, default=None)


def print_speed(problem, rows):
    good = [r for r in rows if succeeded(r)]
    if not good:
        return
    print("\n## %s: fastest run with an error of p and v of at most ...\n" % problem)
    header(["solver"] + ["%.0e" % t for t in TARGETS])
    solvers = sorted({r["solver"] for r in good}, key=lambda s: (not s.startswith("driftless"), s))
    for solver in solvers:
        mine = [r for r in good if r["solver"] == solver]
        line([solver] + [run_cell(fastest(mine, t)) for t in TARGETS])
    peers = [r for r in good if not ours(r)]
    own = [r for r in good if r["solver"] == "driftless"]
    if not peers or not own:
        return
    line(["**fastest peer / driftless**"] + [ratio_cell(own, peers, t) for t in TARGETS])
    ggl = [r for r in peers if r["formulation"] == "GGL"]
    line(["**the same, peers that keep positions and velocities on the constraints (GGL)**"]
         + [ratio_cell(own, ggl, t) for t in TARGETS])


def run_cell(row):
    if row is None:
        return "-"
    return "%s %s (%s, tol %.0e)" % (row["formulation"], duration(seconds(row)),
                                     count(row.get("fevals")), row["rtol"])


def ratio_cell(own, peers, target):
    """Above 1: driftless is faster."""
    best, peer = fastest(own, target), fastest(peers, target)
    if best is None and peer is None:
        return "-"
    if peer is None:
        return "only driftless"
    if best is None:
        return "only %s %s" % (peer["solver"], peer["formulation"])
    return "**%.2f** (%s %s)" % (seconds(peer) / seconds(best), peer["solver"],
                                 peer["formulation"])


def print_residuals(problem, rows):
    """Constraint residuals and energy at the end, at one tolerance that most solvers were run with."""
    level = 1e-7
    near = [r for r in rows if abs(r["rtol"] / level - 1) < 0.01]
    if not near:
        return
    print("\n## %s: the end of the run with rtol = %.0e\n" % (problem, level))
    keys = ["err_p", "err_v", "err_lambda", "res_pos", "res_vel", "res_acc", "energy_drift"]
    header(["solver", "formulation", "steps", "fevals", "time"] + [k.replace("_", " ") for k in keys])
    near.sort(key=lambda r: (not ours(r), r["solver"], r["formulation"], seconds(r)))
    seen = set()
    for row in near:
        key = (row["solver"], row["formulation"])
        if key in seen:
            continue
        seen.add(key)
        if not succeeded(row):
            line([*key, "status %s" % row.get("status")] + [""] * (2 + len(keys)))
            continue
        line([*key, count(row.get("steps")), count(row.get("fevals")), duration(seconds(row))]
             + [scientific(row.get(k)) for k in keys])


def print_overhead(rows, problems):
    print("\n## Overhead: time / (evaluations x time of one evaluation), median over tolerances\n")
    header(["solver"] + problems)
    good = [r for r in rows if succeeded(r)]
    for solver in sorted({r["solver"] for r in good}, key=lambda s: (not s.startswith("driftless"), s)):
        cells = []
        for problem in problems:
            values = [r["overhead"] for r in good if r["solver"] == solver
                      and r["problem"] == problem and number(r.get("overhead")) is not None]
            cells.append("%.1f" % statistics.median(values) if values else "-")
        line([solver] + cells)


def print_failures(rows):
    failed = {}
    for row in rows:
        if row.get("status") != 0:
            key = (row["problem"], row["solver"], row["formulation"])
            failed.setdefault(key, []).append((row["rtol"], str(row.get("status"))))
    if not failed:
        return
    print("\n## Failures\n")
    header(["problem", "solver", "formulation", "tolerance: status"])
    for key in sorted(failed):
        runs = sorted(set(failed[key]), reverse=True)
        line([*key, ", ".join("%.0e: %s" % run for run in runs)])


def header(cells):
    line(cells)
    line(["---"] * len(cells))


def line(cells):
    print("| " + " | ".join(cells) + " |")


def duration(s):
    if s < 1e-3:
        return "%.0f us" % (s * 1e6)
    return "%.2f ms" % (s * 1e3) if s < 1 else "%.2f s" % s


def count(n):
    return "-" if number(n) is None else "%d" % n


def scientific(x):
    return "-" if number(x) is None else "%.1e" % x


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
