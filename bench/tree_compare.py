#!/usr/bin/env python3
"""Runs bench_tree and the peers built by bench/peers/tree on the same models, and prints Markdown tables.

usage: bench/tree_compare.py OURS [PEER...] [--lines FILE.jsonl] > tree.md

First every program tells its results at one state; what differs from ours by more than 1e-8 of the largest
number is marked and enters no ratio. Then all programs measure in turn, several rounds, so that
disturbances by other work hit all of them. The least CPU time of all rounds is shown; a ratio is the smaller
one of that of the least times and that of the medians over the rounds, since a processor may be faster for
a moment. A program that dies or needs more than LIMIT_SECONDS of CPU time or LIMIT_BYTES is not
asked for larger models of that shape."""

import argparse
import json
import math
import os
import resource
import signal
import statistics
import subprocess
import sys

CASES = [("chain", 6), ("chain", 12), ("chain", 100), ("chain", 1000), ("chain", 10000),
         ("chain", 100000), ("bintree", 7), ("bintree", 127), ("bintree", 1023), ("bintree", 16383),
         ("quadruped", 13)]
TITLES = {"chain": "chain", "bintree": "binary tree", "quadruped": "free base, 4 legs"}
WHATS = {"FD": "Forward dynamics", "ID": "Inverse dynamics", "M": "Mass matrix"}
OURS, PEERS = "driftless", ["Simbody", "MuJoCo", "DART", "KDL"]
ROUNDS, SLOW_ROUNDS, SLOW_SECONDS = 6, 2, 2.0
LIMIT_SECONDS, LIMIT_BYTES, LIMIT_DIFFERENCE = 12, 4 << 30, 1e-8

# Memory that is freed stays with the program: DART would spend 12 s of 15 s on a chain of 1000 returning it.
ENVIRONMENT = dict(os.environ, OPENBLAS_NUM_THREADS="1", MALLOC_MMAP_MAX_="0",
                   MALLOC_TRIM_THRESHOLD_=str(LIMIT_BYTES))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("ours")
    parser.add_argument("peers", nargs="*")
    parser.add_argument("--lines", help="one JSON line per measurement")
    args = parser.parse_args()
    rows, cuts = {}, []
    given_up = set()
    for model, n in CASES:
        print(f"   {TITLES[model]}, {n}", file=sys.stderr)
        programs = [p for p in [args.ours] + args.peers if (p, model) not in given_up]
        seconds, differences = compare_values(programs, model, n, given_up, cuts)
        measure(rows, [p for p in programs if p in seconds], model, n, seconds, differences)
    if args.lines:
        with open(args.lines, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows.values())
    print_tables(list(rows.values()), cuts)


# ------------------------------------------------------------------ running

def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_SECONDS, LIMIT_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))


def run(program, model, n, *mode):
    """The lines of a program, the CPU time it took, and why it failed ('' if it did not)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, model, str(n), *mode], capture_output=True, text=True,
                          preexec_fn=limit, env=ENVIRONMENT, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    lines = [json.loads(x) for x in done.stdout.splitlines() if x.startswith("{") and x[-1] == "}"]
    return lines, seconds, reason(done)


def library_of(program):
    name = os.path.basename(program).removeprefix("tree_")
    return next((peer for peer in PEERS if peer.lower() == name), OURS)


def reason(done):
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"more than {LIMIT_SECONDS} s of CPU time"
    if "bad_alloc" in done.stderr:
        return f"more than {LIMIT_BYTES >> 30} GB"
    if done.returncode < 0:
        return signal.Signals(-done.returncode).name
    if done.returncode > 0:
        return (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return ""


def compare_values(programs, model, n, given_up, cuts):
    """Each program's CPU time and the differences of its results from ours; ours come first."""
    reference, seconds, differences = {}, {}, {}
    for program in programs:
        lines, taken, why = run(program, model, n, "values")
        if why:
            given_up.add((program, model))
            cuts.append((library_of(program), model, n, why))
            continue
        seconds[program] = taken
        for line in lines:
            kind = line["what"].split(",")[0]
            ours = reference.setdefault(kind, line["values"])
            differences[line["library"], line["what"]] = difference(line["values"], ours)
    return seconds, differences


def difference(values, ours):
    if len(values) != len(ours) or not all(map(math.isfinite, values)):
        return math.inf
    return max(abs(a - b) for a, b in zip(values, ours)) / max(map(abs, ours))


def measure(rows, programs, model, n, seconds, differences):
    for k in range(ROUNDS):
        for program in programs:
            if k >= SLOW_ROUNDS and seconds[program] > SLOW_SECONDS:
                continue
            for line in run(program, model, n)[0]:
                row = rows.setdefault((line["library"], model, n, line["what"]), line)
                row["difference"] = differences[line["library"], line["what"]]
                row.setdefault("rounds", []).append(line["ns_per_body"])
                row["ns_per_body"] = min(row["rounds"])


# ------------------------------------------------------------------ tables

def print_tables(rows, cuts):
    for kind, title in WHATS.items():
        print_times(rows, kind, title)
    print_slopes(rows)
    print_bytes(rows)
    print_differences(rows)
    print_cuts(cuts)
    print_goals(rows)


def libraries(rows):
    found = {r["library"] for r in rows}
    return [name for name in [OURS] + PEERS if name in found]


def best(rows, library, model, n, kind):
    """The fastest way of a library, trusted ones first; ours: one state at a time."""
    found = [r for r in rows if (r["library"], r["model"], r["N"]) == (library, model, n)
             and r["what"].split(",")[0] == kind and "at once" not in r["what"]]
    return min(found, key=lambda r: (not trusted(r), r["ns_per_body"]), default=None)


def trusted(row):
    return row["difference"] <= LIMIT_DIFFERENCE


def ratio(rows, peer, model, n, kind):
    a, b = best(rows, peer, model, n, kind), best(rows, OURS, model, n, kind)
    if not (a and b and trusted(a)):
        return None
    return min(of(a["rounds"]) / of(b["rounds"]) for of in (min, statistics.median))


def at_once(rows, model, n, kind):
    for row in rows:
        if (row["model"], row["N"]) == (model, n) and row["what"].startswith(kind + ", four"):
            return row


def cell(row):
    return "-" if row is None else f"{row['ns_per_body']:.0f}" + ("" if trusted(row) else " *")


def print_row(cells):
    print("| " + " | ".join(str(c) for c in cells) + " |")


def print_head(cells):
    print_row(cells)
    print_row(["---"] + ["---:"] * (len(cells) - 1))


def print_times(rows, kind, title):
    names = libraries(rows)
    lanes = kind != "M"
    print(f"### {title}, ns per body\n")
    print_head(["model", "bodies"] + names + ["fastest peer / ours"] + ["four states at once"] * lanes)
    for model, n in CASES:
        found = [best(rows, name, model, n, kind) for name in names]
        if not any(found):
            continue
        ratios = [x for x in (ratio(rows, p, model, n, kind) for p in PEERS) if x]
        print_row([TITLES[model], n] + [cell(r) for r in found]
                  + [f"{min(ratios):.1f}" if ratios else "-"]
                  + [cell(at_once(rows, model, n, kind))] * lanes)
    print()


def slope(rows, library, kind, n, m):
    """The exponent of N in the time of one evaluation of a chain."""
    a, b = best(rows, library, "chain", n, kind), best(rows, library, "chain", m, kind)
    if a and b:
        return 1 + math.log(b["ns_per_body"] / a["ns_per_body"]) / math.log(m / n)


def print_slopes(rows):
    spans = [(100, 1000), (1000, 10000), (10000, 100000)]
    print("### Growth with N: x in time ~ N^x, chains\n")
    print_head(["library"] + [f"{kind}, {n} to {m}" for kind in WHATS for n, m in spans
                              if kind != "M" or m == 1000])
    for name in libraries(rows):
        found = [slope(rows, name, kind, n, m) for kind in WHATS for n, m in spans
                 if kind != "M" or m == 1000]
        print_row([name] + ["-" if x is None else f"{x:.2f}" for x in found])
    print()


def print_bytes(rows):
    print("### Bytes per body, model and workspace\n")
    print_head(["model", "bodies"] + libraries(rows))
    for model, n in CASES:
        found = [best(rows, name, model, n, "FD") for name in libraries(rows)]
        print_row([TITLES[model], n] + [f"{r['bytes_per_body']:.0f}" if r else "-" for r in found])
    print()


def print_differences(rows):
    print("### Largest difference from ours, relative to the largest number\n")
    print_head(["library"] + list(WHATS))
    for name in libraries(rows)[1:]:
        found = [max((r["difference"] for r in rows if r["library"] == name and trusted(r)
                      and r["what"].split(",")[0] == kind), default=None) for kind in WHATS]
        print_row([name] + ["-" if x is None else f"{x:.0e}" for x in found])
    for row in rows:
        if not trusted(row):
            print(f"\n\\* {row['library']}, {row['what']}, {TITLES[row['model']]} of {row['N']}: "
                  f"{row['difference']:.0e}, not counted.")
    print()


def print_cuts(cuts):
    if cuts:
        print("### Where a library was cut, and why\n")
        print_head(["library", "model", "bodies", "reason"])
    for name, model, n, why in cuts:
        print_row([name, TITLES[model], n, why])


def print_goals(rows):
    chains = [n for model, n in CASES if model == "chain"]
    mujoco_id = [ratio(rows, "MuJoCo", model, n, "ID") for model, n in CASES]
    print("\n### Goals\n")
    print_head(["goal", "aim", "measured"])
    goal("FD of a chain of 6, MuJoCo / ours", 1.4, [ratio(rows, "MuJoCo", "chain", 6, "FD")])
    goal("FD of every chain, KDL / ours", 3.5, [ratio(rows, "KDL", "chain", n, "FD") for n in chains])
    goal("ID of every model, MuJoCo / ours", 2.3, mujoco_id)
    goal("FD of the free base, MuJoCo / ours", 1.6, [ratio(rows, "MuJoCo", "quadruped", 13, "FD")])
    for kind in ("FD", "ID"):
        x = slope(rows, OURS, kind, 100, 100000)
        print_row([f"growth of {kind} from 100 to 100000 bodies", "N^1", "-" if x is None else f"N^{x:.2f}"])
    row = best(rows, OURS, "chain", 100000, "FD")
    print_row(["bytes per body, chain of 100000", "< 1000", row["bytes_per_body"] if row else "-"])


def goal(name, aim, ratios):
    found = [x for x in ratios if x]
    if not found:
        print_row([name, aim, "not measured"])
        return
    text = f"{min(found):.1f}" if len(found) == 1 else f"{min(found):.1f} to {max(found):.1f}"
    print_row([name, aim, text + ("" if min(found) >= aim else ", missed")])


if __name__ == "__main__":
    main()
