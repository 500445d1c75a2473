#!/usr/bin/env python3
"""driftless run on the tape, with native code, by recursion, and as it chooses itself.

usage: evaluation_compare.py BUILD-FOLDER [REPEATS [SELECTION]]

Seconds of CPU time of the whole program with its compiler, the least of several repeats in turn; native
code is compiled every time. Prints a table for docs/benchmarks.md. A way that takes more than LIMIT
seconds is run once, and left out in larger models of its kind.
"""
import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "evaluation")
LIMIT = 20
WAYS = ("tape", "native", "recursion", "auto")

MODELS = [("rope, plane", "rope", ["plane=1"], (5, 10, 20, 40, 60, 100, 200)),
          ("rope, space", "rope", [], (5, 10, 15, 20, 21, 40, 100, 200)),
          ("arm", "arm", [], (3, 6, 12, 24)),
          ("four-bars", "four-bars", [], (1, 5, 20, 40)),
          ("car", "car", [], (None,))]
TIMES = {"rope": (1, 20), "arm": (2, 200), "four-bars": (2, 200), "car": (2, 100)}


def seconds(program, model, settings, to, way, cache):
    """CPU seconds of one run, or None where it fails or takes too long."""
    command = [program, "run", os.path.join(HERE, model + ".lua"), "--to", str(to), "--quiet",
               "--every", str(to), "--interpolate", "--output", os.path.join(cache, "out.csv"),
               "--evaluation", way]
    for setting in settings:
        command += ["--set", setting]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = dict(os.environ, XDG_CACHE_HOME=tempfile.mkdtemp(dir=cache))
    try:
        done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=6 * LIMIT)
    except subprocess.TimeoutExpired:
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent if done.returncode == 0 else None


def measure(program, model, settings, to, skip, repeats):
    """The least seconds per way; ways in `skip` are left out, slow ones are added to it."""
    least = {}
    with tempfile.TemporaryDirectory() as cache:
        for repeat in range(repeats):
            for way in WAYS:
                if way in skip or (repeat > 0 and least.get(way, LIMIT) >= LIMIT / 4):
                    continue
                spent = seconds(program, model, settings, to, way, cache)
                if spent is None or spent > LIMIT:
                    skip.add(way)
                if spent is not None:
                    least[way] = min(spent, least.get(way, spent))
    return least


def show(value):
    return "-" if value is None else "%.3f" % value


def main():
    program = os.path.join(sys.argv[1], "driftless")
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    selection = sys.argv[3] if len(sys.argv) > 3 else ""
    print("| model | N | s | tape | native | recursion | chosen | chosen / best |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for title, model, settings, sizes in MODELS:
        for to in TIMES[model]:
            skip = set()
            for n in sizes:
                if selection not in title or (to > 2 and n and n > 40):
                    continue
                sized = settings + (["N=%d" % n] if n else [])
                least = measure(program, model, sized, to, skip, repeats)
                best = min((least[w] for w in WAYS[:3] if w in least), default=None)
                ratio = least["auto"] / best if best and "auto" in least else None
                print("| %s | %s | %g | %s | %s |" % (
                    title, n or "", to, " | ".join(show(least.get(w)) for w in WAYS),
                    "-" if ratio is None else "%.2f" % ratio), flush=True)


if __name__ == "__main__":
    main()
