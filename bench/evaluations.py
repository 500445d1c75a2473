#!/usr/bin/env python3
"""Evaluations of two builds of driftless, side by side.

    bench/evaluations.py OLD/driftless NEW/driftless [--rtol 1e-6,1e-8] [MODEL.lua ...]

Runs the models (default: examples/*.lua) with their own settings, at each relative tolerance, and prints
how often the equations of motion and their derivatives were evaluated, and how they changed. The status
is 1 if the new build needs more than 2 % more evaluations somewhere, or if a run that was completed is not.
"""
import argparse
import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def run(program, model, rtol):
    """The summary of a run, or None."""
    command = [program, "run", model, "--json"] + (["--rtol", rtol] if rtol else [])
    try:
        done = subprocess.run(command, capture_output=True, timeout=300, check=False)
        summary = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return None
    return summary if summary.get("status") == "completed" else None


def evaluations(summary):
    return summary["evaluations"]["eom"]


def compare(old, new, model, rtol):
    """Prints a line; whether the new build is not worse."""
    before, after = run(old, model, rtol), run(new, model, rtol)
    name = os.path.basename(model)[:-4]
    if not before or not after:
        print(f"{name:22} {rtol or 'default':>8}  {'completed' if before else 'failed':>10} "
              f"{'completed' if after else 'failed':>10}")
        return bool(after) or not before
    was, now = evaluations(before), evaluations(after)
    change = 100.0 * (now - was) / was
    jacobians = [s["evaluations"]["jacobian"] for s in (before, after)]
    crossings = after.get("switches", {}).get("crossings", 0)
    print(f"{name:22} {rtol or 'default':>8}  {was:10} {now:10} {change:+8.1f} %  "
          f"{jacobians[0]:6} {jacobians[1]:6}  {crossings:6}")
    return change <= 2


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--rtol", default=",1e-6,1e-8", help="comma-separated; empty: the model's own")
    args = parser.parse_args()
    models = args.models or sorted(glob.glob(os.path.join(HERE, "../examples/*.lua")))
    print(f"{'model':22} {'rtol':>8}  {'before':>10} {'now':>10} {'change':>10}  "
          f"{'Jacobians':>13}  {'events':>6}")
    good = True
    for model in models:
        for rtol in args.rtol.split(","):
            good = compare(args.old, args.new, model, rtol) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
