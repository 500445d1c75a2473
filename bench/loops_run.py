#!/usr/bin/env python3
"""The four-bars of bench_loops.c as scripts: CPU time of `driftless run`, from reading the script to the last row.

usage: bench/loops_run.py PROGRAM [N...]; one JSON line per N, with the keys of bench_loops"""

import json
import resource
import subprocess
import sys
import tempfile

SECONDS, TOLERANCE = 10, 1e-6


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
    return "\n".join(lines + [f"simulate{{to = {SECONDS}, rtol = {TOLERANCE}}}", ""])


def main():
    program, sizes = sys.argv[1], [int(n) for n in sys.argv[2:]] or [1, 2, 5, 10, 20, 40, 100]
    for n in sizes:
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
            file.write(script(n))
            file.flush()
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([program, "run", file.name, "--quiet"],
                           check=True, stdout=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(json.dumps({"model": "fourbars-hanging", "N": n, "bodies": 2 * n + 1,
                          "solver": "driftless run", "tolerance": TOLERANCE, "seconds": SECONDS,
                          "cpu_per_second": round(seconds / SECONDS, 5)}), flush=True)


if __name__ == "__main__":
    main()
