#!/usr/bin/env python3
"""Studies by `driftless sweep` on one and two threads, beside `xargs -P 2 driftless run`.

usage: bench/study_runs.py PROGRAM EXAMPLES [PART]; a table. PART below 1: fewer runs. Times by the clock mean something only on an idle machine
with two processors; those of the processor always do."""

import os
import resource
import subprocess
import sys
import tempfile
import time

program, examples = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
part = float(sys.argv[3]) if len(sys.argv) > 3 else 1.0
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.chdir(tempfile.mkdtemp())


def measured(command, **more):
    """Seconds by the clock and of the processors."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **more)
    clock, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def study(model, count, threads):
    return measured([program, "sweep", model, "--over", f"g=9:11:{count}", "--threads", str(threads), "--output", f"{threads}.h5", "--replace", "--quiet"])


print("| | runs | by the clock | processor time of a run | speed-up |\n| --- | --- | --- | --- | --- |")
for name, count in (("pendulum", 10000), ("slider-crank", 1000)):
    model, count = os.path.join(examples, name + ".lua"), max(20, int(count*part))
    alone = study(model, count, 1)
    both = study(model, count, 2)
    few = max(20, count//50)
    values = "".join(f"{9 + 2*i/(few - 1)!r}\n" for i in range(few))
    line = f"xargs -P 2 -I {{}} {program} run {model} --set g={{}} --output {{}}.csv --quiet"
    loose = measured(line.split(), input=values.encode())
    for what, runs, (clock, processor) in ((f"{name}, one thread", count, alone), (f"{name}, two threads", count, both),
                                           (f"{name}, xargs -P 2", few, loose)):
        print(f"| {what} | {runs} | {clock:.2f} s | {1e6*processor/runs:.0f} us | {alone[0]/count/(clock/runs):.2f} |", flush=True)
