"""Lets one allocation after another fail while a study runs.
usage: failing_memory.py PROGRAM LIBRARY [STRIDE]     LIBRARY: libfailing_malloc.so; every STRIDE-th allocation (101)

The program must end by itself. Each case then has its results, or has failed for want of memory, or is missing because the program has said
that it failed; --resume gives what is missing the results of an undisturbed study."""
import os
import subprocess
import sys
import tempfile

import h5py

program, library = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
stride = int(sys.argv[3]) if len(sys.argv) > 3 else 101
os.chdir(tempfile.mkdtemp())
with open("model.lua", "w") as file:
    file.write("""
local k, n = param("k", 4), setting("n", 1)
local x = position("x")
kinetic(n*velocity(x)^2/2)
potential(k/2*x^2)
output("place", x)
event("through", x)
initial{ x = k/4 }
simulate{ to = 0.5 }
""")
arguments = [program, "sweep", "model.lua", "--over", "n=1,2", "--over", "k=4,5", "--every", "0.25", "--threads", "1", "--json", "--quiet"]


def run(path, at):
    environment = os.environ | {"LD_PRELOAD": library, "DFL_FAIL_AT": str(at), "DFL_FAIL_REPORT": "report", "OPENBLAS_NUM_THREADS": "1", "MALLOC_CHECK_": "3"}
    done = subprocess.run([*arguments, "--output", path], env=environment, capture_output=True, text=True, timeout=60)
    with open("report") as report:
        text = report.read()
    os.remove("report")
    count = max((int(line.split()[0]) for line in text.splitlines() if len(line.split()) == 2 and line.split()[0].isdigit()), default=0)
    return done, count, "libhdf5" in text


def study(path):
    with h5py.File(path) as file:
        return [(int(state), bytes(file["results"][i].tobytes()), bytes(file["series"][i].tobytes()), file["messages"][i])
                for i, state in enumerate(file["cases"][:])]


done, count, _ = run("whole.h5", 0)
assert done.returncode == 0 and count > 1000, (done, count)
whole = study("whole.h5")
failed = spoilt = 0
for at in range(1, count, stride):
    if os.path.exists("study.h5"):
        os.remove("study.h5")
    done, _, hdf5 = run("study.h5", at)
    if hdf5 and done.returncode not in (0, 1, 2):  # HDF5 itself crashes or exits (tests/memory/run)
        continue
    assert done.returncode in (0, 1, 2), (at, done)
    assert done.returncode == 0 or "memory" in done.stderr + done.stdout or done.stderr, (at, done)
    failed += done.returncode != 0
    if not os.path.exists("study.h5"):
        assert done.returncode != 0, at
        continue
    for case, (found, wanted) in enumerate(zip(study("study.h5"), whole)):
        if found[0] == 3:
            spoilt += 1
            assert b"memory" in found[3] or "memory" in str(found[3]), (at, case, found[3])
        elif found[0] == 0:
            assert done.returncode != 0, (at, case)
        else:
            assert found[:3] == wanted[:3], (at, case)
print(f"{count} allocations, every {stride}th: {failed} studies ended, {spoilt} cases failed")
