#!/usr/bin/env python3
"""The four-bars of bench_loops.c as scripts: CPU time of `driftless run`, from reading the script to the last row.

usage: bench/loops_run.py [--linear sparse] [--rtol 1e-4] PROGRAM [N...]; one JSON line per N, with the keys of bench_loops"""

import argparse
import json
import math
import os
import subprocess
import tempfile

SECONDS = 10


def script(n):
    """N + 1 uprights on pins at (i, 0), N couplers between their tips; all tips start with 1 m/s."""
    lines = ["planar()", "gravity{0, -9.81}", "local up, b = {}, nil"]
    for i in range(n + 1):
        lines += [f"up[{i}] = body('up{i}', {{mass = 1, inertia = 1/12, com = {{{i}, -0.5}}}})",
                  f"b = revolute('u{i}', ground, up[{i}], {{at = {{{i}, 0}}}})",
                  "initial{[b.qd] = 1}"]
    for i in range(n):
        lines += [f"b = body('co{i}', {{mass = 1, inertia = 1/12, com = {{{i + 0.5}, -1}}}})",
                  f"initial{{[revolute('c{i}', up[{i}], b, {{at = {{{i}, -1}}}}).qd] = -1}}",
                  f"revolute('p{i}', b, up[{i + 1}], {{at = {{{i + 1}, -1}}}})"]
    return "\n".join(lines + [f"simulate{{to = {SECONDS}}}", ""])


def angle(n):
    """Of the uprights after 10 s: all move as one pendulum, q'' = -k sin q (leap-frog of order 4, Yoshida 1990)."""
    k, h = 9.81 * ((n + 1) * 0.5 + n) / ((n + 1) / 3 + n), 1e-3
    outer = 1 / (2 - 2 ** (1 / 3))
    parts, q, w = (outer, 1 - 2 * outer, outer), 0.0, 1.0
    for _ in range(round(SECONDS / h)):
        for part in parts:
            q += part * h / 2 * w
            w -= part * h * k * math.sin(q)
            q += part * h / 2 * w
    return q


def run(program, path, options, to):
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen([program, "run", path, "--quiet", "--json", "--to", str(to), *options], stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        out.seek(0)
        return json.load(out), usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("N", type=int, nargs="*", default=[1, 2, 5, 10, 20, 40, 100])
    parser.add_argument("--linear", default="auto")
    parser.add_argument("--rtol", default="1e-6")
    asked = parser.parse_args()
    options = ["--linear", asked.linear, "--rtol", asked.rtol]
    for n in asked.N:
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
            file.write(script(n))
            file.flush()
            found, seconds = run(asked.program, file.name, options, SECONDS)
            start = run(asked.program, file.name, options, 1e-9)[1]
        print(json.dumps({"model": "fourbars-hanging", "N": n, "bodies": 2 * n + 1, "solver": "driftless run",
                          "linear": found["linear"], "tolerance": float(asked.rtol), "seconds": SECONDS,
                          "cpu_per_second": round(seconds / SECONDS, 5),
                          "cpu_per_second_after_start": round((seconds - start) / SECONDS, 5),
                          "steps": found["steps"]["attempted"],
                          "err_angle": float(f"{abs(found['final']['u0.q'] - angle(n)):.1e}")}), flush=True)


if __name__ == "__main__":
    main()
