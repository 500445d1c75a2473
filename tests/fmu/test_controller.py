"""`fmu(...)` in scripts: a controller that is an FMU of ours, of both versions, gives the motion of the same controller
in the script; it is refused unless it is allowed; its crash, silence, error or end, and wrong names, are messages; a
program that is killed leaves no files behind.
usage: test_controller.py PROGRAM SOURCE-FOLDER"""
import csv
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

program, root = sys.argv[1:3]
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
from foreign import Foreign

folder = tempfile.TemporaryDirectory()
os.environ["TMPDIR"] = os.path.join(folder.name, "tmp")
os.mkdir(os.environ["TMPDIR"])
place = os.path.join(folder.name, "models")
os.mkdir(place)


def call(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60)


def write(name, text):
    path = os.path.join(place, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def rows(model, *options):
    found = call("run", model, "--quiet", "--output", "-", *options)
    assert found.returncode == 0, found.stderr
    table = list(csv.reader(io.StringIO(found.stdout)))
    return [dict(zip(table[0], map(float, row))) for row in table[1:]]


def check_left():
    assert os.listdir(os.environ["TMPDIR"]) == [], "temporary files are left"


def fails(words, status, *arguments):
    found = call(*arguments)
    assert found.returncode == status and words in found.stderr, (found.returncode, found.stderr)
    check_left()


for name in ("controlled", "sampled-controller"):
    shutil.copy(os.path.join(here, name + ".lua"), place)
controlled = os.path.join(place, "controlled.lua")
expected = rows(os.path.join(place, "sampled-controller.lua"))
for version in "23":
    assert call("export", os.path.join(here, "controller.lua"), "--fmu", version, "--output",
                os.path.join(place, "controller.fmu")).returncode == 0
    found = rows(controlled, "--allow-fmu")
    worst = max(abs(a[n] - b[n]) for a, b in zip(found, expected) for n in ("x", "der(x)", "push"))
    print("a controller of FMI %s.0: %.1e" % (version, worst))
    assert len(found) == len(expected) and worst < 1e-9
    assert all(row["controller.u"] == row["push"] for row in found)
check_left()
fails("allow it with --allow-fmu", 2, "run", controlled)
assert call("check", controlled, "--allow-fmu").returncode == 0
study = os.path.join(place, "cases.csv")
cases = call("sweep", controlled, "--allow-fmu", "--over", "m=1,2", "--csv", study, "--quiet",
             "--output", os.path.join(place, "cases.h5"))
assert cases.returncode == 0, cases.stderr
with open(study) as file:
    ends = [float(row["push.final"]) for row in csv.DictReader(file)]
assert abs(ends[0] - expected[-1]["push"]) < 1e-9 and abs(ends[1] - ends[0]) > 1e-3, ends
check_left()
fails("the model contains an FMU", 2, "gradient", controlled, "--allow-fmu", "--by", "m")

it = Foreign(place)
it.pack()
TEXT = """local x = position("x")
mass(x, 1)
local y = fmu("foreign.fmu", { inputs = { %s = x }, outputs = { "%s" }, period = %s, set = { k = %s } })
force(x, y)
simulate{ to = 2, rtol = 1e-6, every = 0.5 }
"""


def variant(u="['u & v.x']", y="y", period="0.125", k="2"):
    return write("it.lua", TEXT % (u, y, period, k))


values = rows(variant(), "--allow-fmu")
y = 1.0
assert values[0]["foreign.y"] == y and len(values) == 5
fails("fmu 'foreign' at t = 0.125 s: the FMU 'foreign' crashed: Aborted", 1, "run", variant(k="13"), "--allow-fmu")
fails("does not answer for 10 s", 1, "run", variant(k="14"), "--allow-fmu")
fails("no steps on Sundays", 1, "run", variant(k="15"), "--allow-fmu")
fails("has ended the simulation", 1, "run", variant(k="16"), "--allow-fmu")
fails("has no output 'z' that is a real number; it has y", 2, "run", variant(y="z"), "--allow-fmu")
fails("has no input 'w'", 2, "run", variant(u="w"), "--allow-fmu")
fails("the period is -1; it must be positive", 2, "run", variant(period="-1"), "--allow-fmu")
fails("set.k is a symbol", 2, "run", variant(k="x"), "--allow-fmu")
shutil.copy(it.path, folder.name)
fails("only files below the model's folder", 2, "run",
      write("out.lua", (TEXT % ("u", "y", "1", "1")).replace("foreign.fmu", "../foreign.fmu")), "--allow-fmu")
fails("cannot be saved", 1, "run", variant(), "--allow-fmu", "--to", "1", "--save", os.path.join(place, "saved"))
fails("a controller that is an FMU", 2, "export", variant(), "--allow-fmu", "--fmu", "2", "--output", os.path.join(place, "no.fmu"))

for killed in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):  # while the FMU does not answer
    process = subprocess.Popen([program, "run", it.path, "--set", "k=14"], stderr=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, start_new_session=True)
    for _ in range(100):
        time.sleep(0.05)
        if os.listdir(os.environ["TMPDIR"]):
            break
    time.sleep(0.2)
    if killed == signal.SIGKILL:
        process.kill()
    else:
        os.killpg(process.pid, killed)
    process.wait()
    for _ in range(100):
        if not os.listdir(os.environ["TMPDIR"]):
            break
        time.sleep(0.05)
    check_left()
print("controllers: values, messages, nothing left behind")
