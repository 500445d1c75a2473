"""Exported models as FMU 2.0, co-simulation: compared with runs of the program.
usage: test_cosimulation.py PROGRAM SOURCE-FOLDER [MODEL.lua ...]"""
import csv
import io
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fmu2

program, root = sys.argv[1:3]
here = os.path.dirname(os.path.abspath(__file__))
folder = tempfile.TemporaryDirectory()
RTOL = 1e-8
# model, end of the run in s
MODELS = [("slider-crank", 1.0), ("four-bar-bodies", 1.0), ("rolling-disk", 1.0),
          ("massless-node", 1.0), ("friction", 0.3), ("cam-follower", 0.3), ("maxwell", 1.0),
          ("ball", 2.0), ("clutch", 2.0), ("geneva", 3.0), ("woodpecker", 0.5), ("arm-pid", 2.0)]


def export(model, *options):
    path = os.path.join(folder.name, os.path.basename(model) + ".fmu")
    subprocess.run([program, "export", model, "--quiet", "--output", path, *options], check=True)
    return fmu2.Archive(path)


def run(model, *options):
    text = subprocess.run([program, "run", model, "--quiet", "--output", "-", *options], check=True,
                          capture_output=True, text=True).stdout
    rows = list(csv.reader(io.StringIO(text)))
    numbers = [[float(x) for x in row] for row in rows[1:]]
    times = [row[0] for row in numbers]  # an instant at which something jumps has two rows
    return rows[0], [row for row in numbers if times.count(row[0]) == 1]


def quoted(name):
    """The name of a column as the FMU has it; simple names alone."""
    inner = name[4:-1] if name.startswith("der(") else name
    if "(" in inner:
        return "'" + name + "'"
    parts = [p if p.replace("[", "").replace("]", "").isidentifier() else "'" + p + "'"
             for p in inner.split(".")]
    return "der(%s)" % ".".join(parts) if name.startswith("der(") else ".".join(parts)


def distance(names, rows, found):
    """The largest difference, in parts of the largest entry of its column."""
    worst = 0.0
    for k in range(1, len(names)):
        size = max(max(abs(r[k]) for r in rows), 1e-3)
        worst = max(worst, max(abs(r[k] - f[k - 1]) for r, f in zip(rows, found)) / size)
    return worst


def check_run(model, end):
    """Steps of different lengths give the rows of the program."""
    archive = export(model, "--fmu", "2", "--rtol", str(RTOL))
    names, rows = run(model, "--to", str(end), "--every", str(end / 8), "--rtol", str(RTOL / 100))
    columns = [quoted(n) for n in names[1:]]
    it = fmu2.Instance(archive).start(tolerance=RTOL)
    found = [it.get(columns)]
    for before, row in zip(rows, rows[1:]):
        middle = before[0] + random.uniform(0.1, 0.9) * (row[0] - before[0])
        it.step(before[0], middle - before[0])
        it.step(middle, row[0] - middle)
        found.append(it.get(columns))
    it.free()
    worst = distance(names, rows, found)
    print("%-20s %8.1e of the largest entries" % (os.path.basename(model), worst))
    return archive, worst


def check_states(archive, end):
    """A restored instance, also another one, goes on with the same bytes."""
    names = list(archive.reference)
    first, second = fmu2.Instance(archive).start(), fmu2.Instance(archive).start()
    h = end / 20
    for trial in range(5):
        first.step(trial * h, h)
        saved = first.save()
        for k in range(3):
            first.step((trial + 1 + k) * h, h)
        expected = first.get(names)
        for it in (second, first):
            it.restore(saved)
            for k in range(3):
                it.step((trial + 1 + k) * h, h)
            assert it.get(names) == expected, "restored state at %g" % ((trial + 1) * h)
        first.restore(saved)
    for bad in (saved[:-8], b"DFLS" + bytes(len(saved) - 4), saved[:10]):
        try:
            first.restore(bad)
            raise AssertionError("a wrong state was accepted")
        except fmu2.Error:
            pass
    first.free()
    second.free()


def check_library(archive):
    """It shows the functions of the standard and needs nothing but the C library."""
    lines = subprocess.run(["nm", "-D", "--defined-only", archive.library_path], check=True,
                           capture_output=True, text=True).stdout.split("\n")
    names = sorted(line.split()[-1].split("@")[0] for line in lines if line)
    assert all(n.startswith("fmi2") for n in names) and len(names) == 44, names
    needed = subprocess.run(["objdump", "-p", archive.library_path], check=True,
                            capture_output=True, text=True).stdout
    libraries = {line.split()[1] for line in needed.split("\n") if line.strip().startswith("NEEDED")}
    assert libraries <= {"libm.so.6", "libc.so.6"}, libraries


def check_sources():
    """The sources inside build the same library: the same functions, the same motion."""
    model = os.path.join(root, "examples", "slider-crank.lua")
    archive = export(model, "--fmu", "2", "--sources", "--rtol", str(RTOL))
    names = list(archive.reference)
    states = []
    for build in (False, True):
        if build:
            files = [f.get("name") for f in archive.kind.findall("SourceFiles/File")]
            subprocess.run([os.environ.get("CC", "cc"), "-O0", "-w", "-Wno-psabi", "-fPIC", "-shared", "-fvisibility=hidden",
                            *[archive.file("sources", f) for f in files], "-lm", "-o",
                            archive.file("built.so")], check=True)
            archive.use(archive.file("built.so"))
        it = fmu2.Instance(archive).start()
        it.step(0.0, 0.5)
        states.append(it.get(names))
        it.free()
    for a, b in zip(*states):
        assert abs(a - b) <= 1e-9 * max(abs(a), 1), (a, b)


def check_inputs():
    """A jump of an input takes effect at once; a parameter, before and during the run."""
    model = os.path.join(here, "cart.lua")
    archive = export(model, "--fmu", "2", "--kind", "both", "--rtol", "1e-10")
    it = fmu2.Instance(archive).start(values={"m": 2.0})
    assert abs(it.get(["a"])[0] - 0.0) < 1e-12
    it.set("push", 4.0)
    assert abs(it.get(["a"])[0] - 2.0) < 1e-9  # a = F/m
    it.step(0.0, 1.0)
    assert abs(it.get(["x"])[0] - 1.0) < 1e-8  # a t^2/2
    it.set("m", 4.0)
    assert abs(it.get(["a"])[0] - 1.0) < 1e-9
    it.step(1.0, 1.0)
    assert abs(it.get(["x"])[0] - 3.5) < 1e-8  # 1 + 2 + 1/2
    try:
        it.set("x", 0.0)
        raise AssertionError("a state was set during the run")
    except fmu2.Error:
        pass
    it.free()
    it = fmu2.Instance(archive).start(values={"x": 0.25, "der(x)": 3.0})
    it.step(0.0, 0.5)
    assert abs(it.get(["x"])[0] - 1.75) < 1e-9
    it.free()


def check_stop():
    """An event that stops the run ends it where it is, and the instance says so."""
    archive = export(os.path.join(here, "cart.lua"), "--fmu", "2", "--rtol", "1e-10",
                     "--set", "far=1")
    it = fmu2.Instance(archive).start(values={"der(x)": 3.0})
    try:
        it.step(0.0, 1.0)
        raise AssertionError("the event did not stop the run")
    except fmu2.Error:
        pass
    t = fmu2.ctypes.c_double()
    stopped = fmu2.ctypes.c_int()
    it.call("GetRealStatus", 2, fmu2.ctypes.byref(t))
    it.call("GetBooleanStatus", 3, fmu2.ctypes.byref(stopped))
    assert stopped.value and abs(t.value - 1 / 3) < 1e-9, t.value
    it.free()


def check_settings():
    """Misfits that joints allow, the start of the time and Newton's tolerance are those of the export."""
    model = os.path.join(here, "tilted.lua")
    for begin, options in ((2.0, ()), (1.0, ("--from", "1"))):
        archive = export(model, "--fmu", "2", "--kind", "both", "--rtol", str(RTOL), *options)
        assert float(archive.root.find("DefaultExperiment").get("startTime")) == begin
        names, rows = run(model, "--to", str(begin + 1), "--every", "0.25", "--rtol", str(RTOL / 100), *options)
        keep = [k for k, n in enumerate(names) if k == 0 or "lambda" not in n]  # they see the misfit
        names, rows = [names[k] for k in keep], [[row[k] for k in keep] for row in rows]
        columns, found = [quoted(n) for n in names[1:]], []
        it = fmu2.Instance(archive).start(t=begin)
        for row in rows:
            if row[0] > begin:
                it.step(row[0] - 0.25, 0.25)
            found.append(it.get(columns))
        it.free()
        worst = distance(names, rows, found)
        print("%-20s %8.1e from t = %g" % ("tilted.lua", worst, begin))
        assert worst < 10 * RTOL, worst
    rates = []
    for tilt in (1e-6, 0.0):  # in model exchange the misfit changes little
        it = fmu2.Instance(archive, exchange=True).start(t=begin, values={"tilt": tilt})
        rates.append(it.get(["der(j1.q,2)"])[0])
        it.free()
    assert abs(rates[0] - rates[1]) < 1e-4 * abs(rates[1]) > 0, rates
    ends = []
    for tolerance in ("1e-2", "1e-6"):
        archive = export(os.path.join(root, "examples", "slider-crank.lua"), "--fmu", "2", "--newton-tolerance", tolerance)
        it = fmu2.Instance(archive).start()
        it.step(0.0, 0.5)
        ends.append(it.get(["phi"])[0])
        it.free()
    assert ends[0] != ends[1] and abs(ends[0] - ends[1]) < 1e-5, ends


def check_memory():
    """Under valgrind, where it is: two instances of each kind, states as bytes, no error and no leak."""
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return
    driver = os.path.join(folder.name, "drive")
    subprocess.run([*os.environ.get("CC", "cc").split(), "-O1", os.path.join(here, "drive.c"), "-ldl", "-o", driver],
                   check=True)
    for model in (os.path.join(root, "examples", "slider-crank.lua"), os.path.join(root, "examples", "backlash.lua"),
                  os.path.join(here, "sampled.lua")):
        archive = export(model, "--fmu", "2", "--kind", "both")
        for kind in "01":
            found = subprocess.run(["valgrind", "-q", "--leak-check=full", "--error-exitcode=9", driver,
                                    archive.library_path, archive.root.get("guid"), kind, str(len(archive.states)),
                                    str(archive.indicators)], capture_output=True, text=True)
            assert found.returncode == 0, (model, kind, found.returncode, found.stderr)
    print("valgrind: no errors, no leaks")


if len(sys.argv) > 3:
    for path in sys.argv[3:]:
        check_run(path, 0.5)
    sys.exit(0)
random.seed(1)
for name, end in MODELS:
    archive, worst = check_run(os.path.join(root, "examples", name + ".lua"), end)
    assert worst < 10 * RTOL, (name, worst)
    check_states(archive, end)
check_library(archive)
for name, end in (("stops", 3.0), ("sampled", 2.0)):
    archive, worst = check_run(os.path.join(here, name + ".lua"), end)
    assert worst < 10 * RTOL, worst
    check_states(archive, end)
check_inputs()
check_stop()
check_sources()
check_settings()
check_memory()
