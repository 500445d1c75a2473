#!/usr/bin/env python3
"""Draws drift.svg from the numbers that drift.c prints.

usage, from the root of the project after `make build`:

    python3 docs/images/drift.py build >docs/images/drift.svg
"""
import math
import pathlib
import re
import subprocess
import sys
import tempfile

WIDTH, HEIGHT = 720, 380
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 50, 50
T_END = 500
LOW, HIGH = -16, -2  # decades of |g|


def measure(build):
    """Compiles drift.c with the library in `build` and runs it: rows of t, psf, index 1."""
    here = pathlib.Path(__file__).resolve().parent
    private = re.search(r"^Libs.private: (.*)$", (build / "driftless.pc").read_text(), re.M)
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "drift"
        subprocess.run(
            ["cc", "-std=c17", "-I", here.parent.parent / "include", here / "drift.c", "-o", program,
             build / "libdriftless.a", *private.group(1).split()], check=True)
        text = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return [[float(word) for word in line.split()] for line in text.splitlines()]


def place(t, g):
    decade = math.log10(max(g, 10.0**LOW))
    x = LEFT + (WIDTH - LEFT - RIGHT) * t / T_END
    y = TOP + (HEIGHT - TOP - BOTTOM) * (HIGH - decade) / (HIGH - LOW)
    return x, y


def line(x1, y1, x2, y2, colour):
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}"/>'


def text(x, y, words, anchor="middle", colour="#333", extra=""):
    return (f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}"{extra}>'
            f'{words}</text>')


def power(exponent):
    return f'10<tspan dy="-5" font-size="9">−{-exponent}</tspan>'


def curve(rows, column, colour):
    points = " ".join("%.1f,%.1f" % place(row[0], row[column]) for row in rows)
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.3"/>'


def draw(rows):
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           'font-family="sans-serif" font-size="13">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           text(WIDTH / 2, 26, "A pendulum: how far the rod is off its length, |x² + y² − 1|",
                extra=' font-size="15"')]
    for decade in range(LOW, HIGH + 1, 2):
        _, y = place(0, 10.0**decade)
        out += [line(LEFT, y, right, y, "#ddd"), text(LEFT - 8, y + 5, power(decade), "end")]
    for t in range(0, T_END + 1, 100):
        x, _ = place(t, 1)
        out += [line(x, bottom, x, bottom + 5, "#333"), text(x, bottom + 20, f"{t}")]
    out += [line(LEFT, bottom, right, bottom, "#333"),
            text((LEFT + right) / 2, HEIGHT - 8, "time in s"),
            curve(rows, 2, "#c0392b"), curve(rows, 1, "#1f5fa8"),
            text(right - 6, place(0, 6e-6)[1], "constraint differentiated twice (index 1): drifts",
                 "end", "#c0392b"),
            text(right - 6, place(0, 2e-8)[1], "projected strangeness-free form (psf)", "end",
                 "#1f5fa8"),
            "</svg>"]
    return "\n".join(out)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(draw(measure(pathlib.Path(sys.argv[1]))))
