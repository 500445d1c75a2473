"""Memory over a million cases of a trivial model (some minutes, 550 MB of disk).
usage: million_cases.py PROGRAM [CASES]"""
import os
import subprocess
import sys
import tempfile
import time

import h5py
import numpy

program = os.path.abspath(sys.argv[1])
cases = int(float(sys.argv[2])) if len(sys.argv) > 2 else 1000000
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
with open("trivial.lua", "w") as file:
    file.write("""
local a = param("a", 0)
local x = position("x")
mass(x, 1)
output("f", a*x)
initial{ x = 1, [velocity(x)] = 1 }
simulate{ to = 0.01 }
""")


def largest(count):
    """kB at most, as seen while it runs."""
    process = subprocess.Popen([program, "sweep", "trivial.lua", "--sample", "a=uniform(0,1)", "--count", str(count), "--output", "study.h5", "--replace", "--quiet"])
    most = 0
    while process.poll() is None:
        with open(f"/proc/{process.pid}/status") as status:
            most = max([most, *[int(line.split()[1]) for line in status if line.startswith("VmHWM")]])
        time.sleep(0.05)
    assert process.returncode == 0
    return most


few, many = largest(cases//100), largest(cases)
with h5py.File("study.h5") as file:
    names = list(file["names/results"].asstr())
    a, f = file["parameters"][:, 0], file["results"][:, names.index("f.final")]
    assert (file["cases"][:] == 1).all()
    assert numpy.abs(f - a*1.01).max() < 1e-6
    assert abs(a.mean() - 0.5) < 4*(1/12/cases)**0.5
queue = 2*cases/1024  # two bytes each
print(f"{few} kB for {cases//100} cases, {many} kB for {cases}")
assert many < few + queue + 1000, (few, many)
