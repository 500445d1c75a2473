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


PYTHON = """import sys
import driftless as dl
model, end = sys.argv[1], float(sys.argv[2])
text = open(model).read()
for refused in (lambda: dl.load(model), lambda: dl.loads(text, name=model, allow_fmu=False), lambda: dl.Model(model).fmu(
        "controller.fmu", inputs={"error": 1, "speed": 0}, outputs=["u"], period=0.05)):
    try:
        refused()
    except dl.Error as why:
        assert "allow it with allow_fmu" in str(why), why
    else:
        raise AssertionError("not refused")
m = dl.load(model, allow_fmu=True)
for it in (m, m.with_values(m=1), dl.loads(text, name=model, allow_fmu=True)):
    assert abs(it.run(to=2, every=0.1)["push"][-1] - end) < 1e-9
s = m.start()
s.advance(2)
assert abs(s["push"] - end) < 1e-9
w = dl.Model(model, allow_fmu=True)
x = w.position("x")
w.mass(x, 1)
u = w.fmu("controller.fmu", inputs={"error": 1 - x, "speed": w.velocity(x)}, outputs=["u"], period=0.05, set={"kp": 25})
w.force(x, u)
w.output("push", u)
assert abs(w.run(to=2, rtol=1e-10)["push"][-1] - end) < 1e-9
"""
OCTAVE = """
function refuses(call)
  try
    call();
  catch why
    assert(! isempty(strfind(why.message, 'allow_fmu')), why.message);
    return
  end
  error('not refused');
end
model = '%s'; last = %.17g; allowed = struct('allow_fmu', true, 'every', 0.1);
refuses(@() driftless_run(model));
refuses(@() driftless_step('start', model));
refuses(@() driftless_equilibrium(model));
r = driftless_run(model, allowed);
assert(abs(r.columns.push(end) - last) < 1e-9);
h = driftless_step('start', model, allowed);
driftless_step('advance', h, 2);
assert(abs(driftless_step('get', h, 'push') - last) < 1e-9);
driftless_step('free', h);
try
  driftless_equilibrium(model, struct('allow_fmu', true));
catch why
  assert(isempty(strfind(why.message, 'allow_fmu')), why.message);
end
"""


def check_faces():
    """Python and Octave allow it, too, where they are built."""
    build, end = os.path.dirname(os.path.abspath(program)), expected[-1]["push"]
    python, octave = os.path.join(build, "python"), os.path.join(build, "octave")
    if os.path.exists(os.path.join(python, "driftless", "__init__.py")):
        found = subprocess.run(["/usr/bin/python3", "-c", PYTHON, controlled, repr(end)], capture_output=True, text=True,
                               env={**os.environ, "PYTHONPATH": python}, timeout=60)
        assert found.returncode == 0, found.stderr
        print("allowed in Python")
    if shutil.which("octave-cli") and os.path.exists(os.path.join(octave, "private", "driftless_run_mex.mex")):
        script = write("it.m", "1;" + OCTAVE % (controlled, end))
        found = subprocess.run(["octave-cli", "--norc", "-q", "--path", octave, script], capture_output=True, text=True,
                               timeout=60)
        assert found.returncode == 0, found.stderr
        print("allowed in Octave")


check_faces()
check_left()

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
