#!/usr/bin/python3
"""Driftless beside SymPy: the equations of motion of a planar chain of N links.

    bench/sympy_compare.py BUILD_DIR [N ...]

Both derive M, f, g, G, gI and bias from the same kinetic and potential energy and the same constraint
(bench_symbolic.c says which) and evaluate them at the same point. SymPy differentiates as it stands,
without simplification; its functions come from lambdify(cse=True). The sums over the entries of every
block must agree. Times are seconds; a limit of 120 s ends a derivation that takes longer.
"""
import json
import signal
import subprocess
import sys
import time

import sympy

PARAMETERS = {"m": 1.2, "L": 0.8, "g": 9.81}
LIMIT = 120


def derive(n):
    """The blocks of the chain as SymPy expressions, and their arguments."""
    m, length, gravity = sympy.symbols("m L g")
    q = sympy.symbols(f"q1:{n + 1}")
    u = sympy.symbols(f"u1:{n + 1}")

    def rate(expr):
        return sum((sympy.diff(expr, a) * b for a, b in zip(q, u)), sympy.Integer(0))

    inertia = m * length**2 / 12
    kinetic = potential = angle = turn = x = y = sympy.Integer(0)
    for k in range(n):
        angle += q[k]
        turn += u[k]
        dx, dy = length * sympy.cos(angle), length * sympy.sin(angle)
        cx, cy = x + dx / 2, y + dy / 2
        kinetic += m / 2 * (rate(cx) ** 2 + rate(cy) ** 2) + inertia / 2 * turn**2
        potential += m * gravity * cy
        x, y = x + dx, y + dy

    momentum = [sympy.diff(kinetic, a) for a in u]
    M = [sympy.diff(p, a) for p in momentum for a in u]
    f = [
        sympy.diff(kinetic, a) - sympy.diff(potential, a) - rate(p)
        for a, p in zip(q, momentum)
    ]
    G = [sympy.diff(y, a) for a in q]
    gI = [rate(y)]
    bias = [rate(gI[0])]
    blocks = {"M": M, "f": f, "g": [y], "G": G, "gI": gI, "bias": bias}
    return blocks, [*q, *u, m, length, gravity]


def measure_sympy(n):
    """Seconds to derive, to make a function and to call it, and the sums of the blocks."""
    start = time.perf_counter()
    blocks, arguments = derive(n)
    derived = time.perf_counter()
    flat = [e for block in blocks.values() for e in block]
    function = sympy.lambdify(arguments, flat, modules="math", cse=True)
    made = time.perf_counter()

    point = [0.1 * (k + 1) for k in range(n)] + [1 / (k + 1) for k in range(n)]
    point += PARAMETERS.values()
    values = iter(function(*point))
    sums = {name: sum(next(values) for _ in block) for name, block in blocks.items()}
    best = float("inf")
    for _ in range(20):
        begin = time.perf_counter()
        for _ in range(10):
            function(*point)
        best = min(best, (time.perf_counter() - begin) / 10)
    return {"derive": derived - start, "lambdify": made - derived, "call": best, "sums": sums}


def too_slow(signum, frame):
    raise TimeoutError


def compare(program, n):
    ours = json.loads(subprocess.check_output([program, "chain", str(n)], text=True))
    signal.signal(signal.SIGALRM, too_slow)
    signal.alarm(LIMIT)
    try:
        theirs = measure_sympy(n)
    except TimeoutError:
        theirs = None
    finally:
        signal.alarm(0)
    row = f"| {n} | {ours['operations']} | {ours['derive']:.2e} | {ours['compile']:.2g} "
    row += f"| {ours['tape']:.2e} | {ours['native']:.2e} "
    if theirs is None:
        print(row + f"| > {LIMIT} | - | - | - | - |", flush=True)
        return
    for name, found in theirs["sums"].items():
        if abs(found - ours[name]) > 1e-12 * max(1, abs(found)) * n * n:
            sys.exit(f"chain of {n}: {name} sums to {ours[name]!r}, SymPy has {found!r}")
    row += f"| {theirs['derive']:.2e} | {theirs['lambdify']:.2e} | {theirs['call']:.2e} "
    row += f"| {theirs['derive'] / ours['derive']:.0f} | {theirs['call'] / ours['native']:.0f} |"
    print(row, flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sizes = [int(a) for a in sys.argv[2:]] or [1, 2, 4, 6]
    print("| links | operations | derive | compile | tape | native "
          "| SymPy derive | lambdify | call | derive ratio | call ratio |")
    print("| ---: " * 11 + "|")
    for n in sizes:
        compare(f"{sys.argv[1]}/bench_symbolic", n)


if __name__ == "__main__":
    main()
