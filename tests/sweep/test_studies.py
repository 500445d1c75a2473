"""Studies as commands: tables against runs, any number of threads, interruptions, limits, statistics.
usage: test_studies.py PROGRAM SOURCE-FOLDER"""
import csv
import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

program, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
example = lambda name: os.path.join(source, "examples", name)
os.chdir(tempfile.mkdtemp())
os.environ["OPENBLAS_NUM_THREADS"] = "1"


def run(*arguments, expect=0):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == expect, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def sweep(*arguments, expect=0):
    return json.loads(run("sweep", *arguments, "--json", "--quiet", expect=expect).stdout)


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


# A mass on a spring that is let go at 1: x = cos(w t), w = sqrt(k).
write("spring.lua", """
local k = param("k", 4)
local x = position("x")
kinetic(velocity(x)^2/2)
potential(k/2*x^2)
output("place", x)
output("speed", velocity(x))
event("through", x, { direction = "falling" })
initial{ x = 1, [velocity(x)] = 0 }
simulate{ to = 5, rtol = 1e-10 }
""")

# A trajectory that is known: theta' = 0, so that outputs are functions of the parameters alone.
write("ishigami.lua", """
local a, b, c = param("a", 0), param("b", 0), param("c", 0)
local x = position("x")
kinetic(velocity(x)^2/2)
output("f", sin(a) + 7*sin(b)^2 + 0.1*c^4*sin(a) + 0*x)
initial{ x = 0, [velocity(x)] = 0 }
simulate{ to = 0.01 }
""")


def a_case_has_the_bits_of_a_run():
    sweep(example("slider-crank.lua"), "--over", "m3=0.05:0.1:3", "--over", "l1=0.1,0.15", "--set", "g=9",
          "--to", "0.5", "--output", "crank.h5", "--csv", "crank.csv")
    rows = table("crank.csv")
    assert list(rows[0])[:7] == ["m3", "l1", "pin-force.final", "pin-force.min", "pin-force.max", "pin-force.mean", "pin-force.rms"]
    assert [(r["m3"], r["l1"]) for r in rows][:3] == [("0.050000000000000003", "0.10000000000000001"), ("0.050000000000000003", "0.14999999999999999"), ("0.075000000000000011", "0.10000000000000001")]
    for row in rows:
        single = json.loads(run("run", example("slider-crank.lua"), "--set", "g=9", "--set", f"m3={row['m3']}", "--set", f"l1={row['l1']}",
                                "--to", "0.5", "--statistics", "--json", "--quiet").stdout)
        for name, value in single["outputs"]["pin-force"].items():
            assert float(row[f"pin-force.{name}"]) == value, (row, name)
        assert float(row["pin-force.final"]) == single["final"]["pin-force"], row
        assert row["status"] == "completed" and float(row["t"]) == 0.5


# Means and extrema of cos and of its derivative over (0, 5), as integrals.
def statistics_are_those_of_the_exact_motion():
    sweep("spring.lua", "--over", "k=0.04,1,4,30,400", "--output", "spring.h5", "--csv", "spring.csv")
    for row in table("spring.csv"):
        k = float(row["k"])
        w, t = math.sqrt(k), 5
        mean, square = math.sin(w*t)/(w*t), 0.5 + math.sin(2*w*t)/(4*w*t)
        least = -1 if w*t > math.pi else math.cos(w*t)
        fastest = w if w*t > math.pi/2 else w*math.sin(w*t)
        for name, value, size in [("place.mean", mean, 1), ("place.rms", math.sqrt(square), 1), ("place.min", least, 1), ("place.max", 1, 1),
                                  ("place.final", math.cos(w*t), 1), ("speed.min", -fastest, w), ("speed.mean", (math.cos(w*t) - 1)/t, w)]:
            assert abs(float(row[name]) - value) < 2e-7*size, (k, name, row[name], value)
        crossings = math.floor((w*t - math.pi/2)/(2*math.pi)) + 1
        assert float(row["through.count"]) == crossings, row
        if crossings:
            assert abs(float(row["through.first"]) - math.pi/2/w) < 1e-8, row


def statistics_see_outputs_that_are_faster_than_the_steps():
    write("fast.lua", """local a = param("a", 1) local x = position("x") mass(x, 1) force(x, -a) initial{ x = 1 }
output("wave", sin(50*time)) output("square", select(sin(20*time), 1, -1)) output("pulse", exp(-((time - 3.3)/0.01)^2))
output("size", abs(x)) output("step", select(time - 3.3, 1, 0)) simulate{ to = 10, rtol = 1e-9 }
""")
    half = math.pi/20
    whole = int(10//half)
    square = (half*(whole % 2) + (10 - whole*half)*(-1)**whole)/10
    sweep("fast.lua", "--over", "a=1,2", "--output", "fast.h5", "--csv", "fast.csv")
    for row in table("fast.csv"):
        a = float(row["a"])
        t0 = math.sqrt(2/a)  # |1 - a t^2/2|
        size = (2*(t0 - a*t0**3/6) - (10 - a*1000/6))/10
        for name, value in [("wave.mean", (1 - math.cos(500))/500), ("wave.max", 1), ("square.mean", square), ("square.rms", 1),
                            ("pulse.mean", math.sqrt(math.pi)*1e-3), ("pulse.max", 1), ("size.mean", size), ("size.min", 0), ("step.mean", 0.67)]:
            assert abs(float(row[name]) - value) < 1e-9*(1 + abs(value)), (a, name, row[name], value)


# The moment about a pin is zero but for rounding, which no halving of steps makes smooth. Equations of the drawn crank are kept.
def statistics_end_where_rounding_is_all_there_is():
    sweep(example("slider-crank-bodies.lua"), "--over", "m1=0.3,0.4", "--over", "l1=0.14,0.15", "--to", "0.3", "--case-seconds", "60",
          "--output", "drawn.h5", "--csv", "drawn.csv")
    for row in table("drawn.csv"):
        assert row["status"] == "completed" and abs(float(row["bearing.mz.mean"])) < 1e-14 and float(row["bearing.mz.rms"]) < 1e-13, row
        single = json.loads(run("run", example("slider-crank-bodies.lua"), "--set", f"m1={row['m1']}", "--set", f"l1={row['l1']}", "--to", "0.3",
                                "--statistics", "--json", "--quiet").stdout)
        for output, found in single["outputs"].items():
            for name, value in found.items():
                assert float(row[f"{output}.{name}"]) == value, (row, output, name)
    # too fast for all halvings: not known, instead of wrong
    write("frantic.lua", "param('a', 1) local x = position('x') mass(x, 1) output('f', sin(1e9*time)) output('g', x + time) simulate{ to = 10 }")
    sweep("frantic.lua", "--over", "a=1", "--output", "frantic.h5", "--csv", "frantic.csv")
    row, = table("frantic.csv")
    assert row["f.mean"] == row["f.rms"] == "nan" and abs(float(row["g.mean"]) - 5) < 1e-9, row


# Absolute coordinates are among the unknowns, but not among the columns.
def statistics_of_sparse_models():
    write("rope.lua", """planar() gravity{0, -9.81}
local before, m = ground, param("m", 1)
for i = 1, 6 do
  local b = body("b" .. i, { mass = m, com = {i - 0.5, 0}, inertia = 0.1 })
  revolute("j" .. i, before, b, { at = {i - 1, 0} })
  before = b
end
output("tip", point(before, {6, 0}).y)
simulate{ to = 0.5, rtol = 1e-9 }
""")
    found = []
    for linear in ("dense", "sparse"):
        sweep("rope.lua", "--over", "m=1,2", "--linear", linear, "--output", f"{linear}.h5", "--csv", f"{linear}.csv")
        found.append(table(f"{linear}.csv"))
    for dense, sparse in zip(*found):
        assert sparse["status"] == "completed", sparse
        for name in ("tip.min", "tip.mean", "tip.rms", "tip.final"):
            assert abs(float(dense[name]) - float(sparse[name])) < 1e-6, (name, dense, sparse)


def threads_and_order_do_not_change_a_byte():
    for threads in ["1", "2", "5"]:
        sweep("spring.lua", "--sample", "k=uniform(1,400)", "--count", "40", "--seed", "3", "--threads", threads, "--every", "0.5",
              "--output", f"threads{threads}.h5")
    assert contents("threads1.h5") == contents("threads2.h5") == contents("threads5.h5")


# Equations are kept from case to case where only values change; here start, end, number of bodies and masses do.
def what_came_before_a_case_does_not_change_it():
    write("many.lua", """
local n, L, m, light = setting("n", 1), param("L", 1), param("m", 1), param("light", 0.1)
local push = input("push", 0)
local q = {}
for i = 1, n do q[i] = position("q" .. i) end
local T, V = light*velocity(q[1])^2/2, 0
for i = 1, n do
  T = T + m*L^2*velocity(q[i])^2/2
  V = V - m*9.81*L*cos(q[i]) + (i > 1 and (q[i] - q[i - 1])^2 or 0)
end
kinetic(T)
potential(V)
force(q[1], push - (n == 2 and 0.01*sign(velocity(q[1])) or 0))
output("first", q[1])
event("down", q[1], { direction = "falling" })
initial{ q1 = L/4, [velocity(q[1])] = 0 }
simulate{ to = 2*sqrt(L) }
""")
    generator = random.Random(5)
    rows = [(generator.choice([1, 2]), generator.uniform(0.5, 2), generator.choice([0, 1, 2.5]), 0.1, generator.uniform(-1, 1), generator.uniform(0, 1))
            for _ in range(24)]
    heading = 'n,L,m,light,push,"initial(der(q1))"'

    def results(chosen, path):
        write("order.csv", heading + "\n" + "".join(",".join(map(repr, row)) + "\n" for row in chosen))
        sweep("many.lua", "--cases", "order.csv", "--threads", "1", "--output", path + ".h5", "--csv", path + ".csv")
        return [tuple(row.values()) for row in table(path + ".csv")]

    found = results(rows, "forward")
    assert found == results(rows[::-1], "back")[::-1]
    for i in range(0, 24, 5):
        assert found[i] == results(rows[i:i + 1], f"alone{i}")[0]


def series_are_the_rows_of_a_run():
    import h5py
    with h5py.File("threads2.h5") as file:
        assert file["series"].shape == (40, 11, 3) and list(file["names/series"].asstr()) == ["time", "place", "speed"]
        for case in (0, 17, 39):
            k = file["parameters"][case, 0]
            run("run", "spring.lua", "--set", f"k={k:.17g}", "--every", "0.5", "--output", "row.csv", "--quiet")
            rows = [r for r in table("row.csv") if abs(float(r["time"])/0.5 - round(float(r["time"])/0.5)) < 1e-9]
            for row, stored in zip(rows, file["series"][case], strict=True):
                assert [float(row[n]) for n in ("time", "place", "speed")] == list(stored)
        assert all(file["cases"][:] == 1) and file["meta/seed"][()] == 3
        assert file["events"].shape == (40, 20, 3)


# T = 2 pi / w: where it falls through zero for the first time is a quarter. L random, w = 1/sqrt(L).
def samples_have_the_statistics_of_their_distribution():
    write("swing.lua", """
local L = param("L", 1)
local x = position("x")
kinetic(L*velocity(x)^2/2)
potential(x^2/2)
event("quarter", x, { direction = "falling", stop = true })
initial{ x = 1, [velocity(x)] = 0 }
simulate{ to = 5, rtol = 1e-9 }
""")
    count = 2000
    told = sweep("swing.lua", "--sample", "L=uniform(0.5,1.5)", "--count", str(count), "--seed", "11", "--bootstrap", "2000", "--output", "swing.h5",
                 "--csv", "swing.csv")
    rows = table("swing.csv")
    assert {row["status"] for row in rows} == {"stopped"}
    periods = [4*float(row["quarter.first"]) for row in rows]
    # E T = 2 pi E sqrt L, E T^2 = 4 pi^2 E L, and the fourth central moment by quadrature
    moment = lambda f: sum(f(0.5 + (i + 0.5)/10000) for i in range(10000))/10000
    period = lambda L: 2*math.pi*math.sqrt(L)
    mean = moment(period)
    variance = moment(lambda L: (period(L) - mean)**2)
    fourth = moment(lambda L: (period(L) - mean)**4)
    found = sum(periods)/count
    spread = sum((p - found)**2 for p in periods)/(count - 1)
    assert abs(found - mean) < 4*math.sqrt(variance/count), (found, mean)
    assert abs(spread - variance) < 4*math.sqrt((fourth - variance**2)/count), (spread, variance)
    # intervals of 95 %: 1.96 standard errors to both sides
    quarter = {item["of"]: item for item in told["statistics"]}["quarter.first"]
    for name, value, error in [("mean", found/4, math.sqrt(variance/count)/4),
                               ("deviation", math.sqrt(spread)/4, math.sqrt((fourth - variance**2)/count/variance)/8)]:
        it = quarter[name]
        assert abs(it["value"] - value) < 1e-12, (name, it)
        for side in (it["value"] - it["low"], it["high"] - it["value"]):
            assert abs(side/(1.96*error) - 1) < 0.15, (name, it, error)
    for threads in ("1", "3"):
        again = sweep("swing.lua", "--resume", "swing.h5", "--bootstrap", "2000", "--threads", threads)
        assert again["statistics"] == told["statistics"]
    assert "statistics" not in sweep("swing.lua", "--over", "L=1,2", "--bootstrap", "100", "--output", "grid.h5")


def failed_cases_are_named_and_the_others_go_on():
    write("fragile.lua", """
local k = param("k", 1)
local n = setting("n", 1)
local x = position("x")
kinetic(velocity(x)^2/2)
potential(x^2/2)
output("root", sqrt(k))
while n == 2 do end
if n == 3 then
  local t = {}
  for i = 1, 1e7 do t[i] = tostring(i) .. "x" end
end
if n == 4 then error("no such machine") end
force(x, (n == 5 and 0 or -1)*sqrt(k)*velocity(x))
initial{ x = 1, [velocity(x)] = 0 }
simulate{ to = n == 5 and 1e7 or 1 }
""")
    found = sweep("fragile.lua", "--over", "n=1,2,4,5,6", "--over", "k=1,4", "--case-seconds", "0.5",
                  "--output", "fragile.h5", "--csv", "fragile.csv")
    rows = table("fragile.csv")
    states = {(float(r["n"]), float(r["k"])): r for r in rows}
    assert found["status"] == "completed" and found["cases"] == 10 and found["failed"] == 6, found
    for k in (1, 4):
        assert states[1, k]["status"] == states[6, k]["status"] == "completed"
        assert states[1, k]["root.final"] == str(round(math.sqrt(k)))
        for n, text in [(2, "endless loop"), (4, "no such machine"), (5, "0.5 s")]:
            assert states[n, k]["status"] == "failed" and text in states[n, k]["message"], (n, states[n, k])
    sweep("fragile.lua", "--over", "n=1,3", "--case-memory", "20", "--output", "memory.h5", "--csv", "memory.csv")
    few, many = table("memory.csv")
    assert few["status"] == "completed" and many["status"] == "failed" and "memory" in many["message"], many
    # in the equations, and again for those that follow; the limit is of each case alone
    write("heavy.lua", """
local n = setting("n", 1)
local last = 0
for i = 1, n do
  local x = position("x" .. i)
  kinetic(velocity(x)^2*(2 + sin(x*last))/2)
  potential((x - last)^2)
  last = x
end
simulate{ to = 0.01 }
""")
    sweep("heavy.lua", "--over", "n=2,60,2,3,60,2,2,2", "--case-memory", "2", "--output", "heavy.h5", "--csv", "heavy.csv")
    assert [row["status"] for row in table("heavy.csv")] == ["completed", "failed", "completed", "completed", "failed", "completed", "completed", "completed"]
    assert "2 MB of memory" in table("heavy.csv")[1]["message"]
    write("dense.lua", """
local n = setting("n", 1)
local sum, speed = 0, 0
for i = 1, n do
  local x = position("x" .. i)
  sum = sum + i*x
  speed = speed + cos(sum)*velocity(x)
  kinetic(velocity(x)^2/2 + speed^2/2)
  potential(sum^2)
end
simulate{ to = 0.001 }
""")
    sweep("dense.lua", "--over", "n=2,90,3", "--case-seconds", "0.3", "--output", "slow.h5", "--csv", "slow.csv")  # while equations are derived
    assert [row["status"] for row in table("slow.csv")] == ["completed", "failed", "completed"]
    assert "0.3 s that a case may take" in table("slow.csv")[1]["message"]
    found = sweep("fragile.lua", "--over", "n=4,4", "--output", "all.h5", expect=1)
    assert found["status"] == "failed" and "no such machine" in found["message"]


def a_study_that_was_killed_is_completed():
    arguments = [example("pendulum.lua"), "--sample", "m=uniform(1,2)", "--sample", "g=normal(9.81,0.1)", "--count", "300"]
    begun = time.monotonic()
    sweep(*arguments, "--output", "whole.h5")
    length = time.monotonic() - begun
    random.seed(1)
    cut = 0
    for attempt in range(6):
        path = f"killed{attempt}.h5"
        process = subprocess.Popen([program, "sweep", *arguments, "--output", path, "--quiet"])
        time.sleep(random.uniform(0.02, length))
        process.send_signal(signal.SIGINT if attempt == 5 else signal.SIGKILL)
        process.wait()
        if os.path.exists(path):
            if process.returncode != 0:
                cut += 1
            found = sweep(arguments[0], "--resume", path)
            assert found["cases"] == found["done"] == 300
            assert contents(path) == contents("whole.h5")
    assert cut > 0
    write("other.lua", contents(example("pendulum.lua")).decode() + "\n-- changed\n")
    assert "another model" in run("sweep", "other.lua", "--resume", "whole.h5", expect=2).stderr


def slow_arguments(path, count=4000):
    return ["sweep", example("pendulum.lua"), "--sample", "m=uniform(1,2)", "--count", str(count), "--threads", "2", "--output", path]


# Other programs see cases that have ended, and never half of one.
def a_study_is_read_while_it_runs():
    import h5py
    process = subprocess.Popen([program, *slow_arguments("live.h5"), "--quiet"])
    while not os.path.exists("live.h5"):
        time.sleep(0.01)
    seen = {}
    while len(seen) < 40 and process.poll() is None:
        with h5py.File("live.h5", "r", locking=False) as file:
            there = [i for i, state in enumerate(file["cases"][:]) if state == 1]
            results = file["results"][:]
            seen |= {i: tuple(results[i]) for i in there}
        if seen:
            run("view", "live.h5", "--output", "live.html", "--quiet")
    assert process.poll() is None, "the study ended before it was read"
    process.send_signal(signal.SIGINT)
    process.wait(timeout=60)
    with h5py.File("live.h5") as file:
        assert all(tuple(file["results"][i]) == row and file["cases"][i] == 1 for i, row in seen.items())
        assert 0 < sum(file["cases"][:] == 1) < 4000


def terminals_show_progress_and_stop_by_their_key():
    import pty
    import re
    ours, theirs = pty.openpty()
    process = subprocess.Popen([program, *slow_arguments("terminal.h5")], stderr=theirs, stdin=theirs, stdout=subprocess.DEVNULL, start_new_session=True,
                               preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0))
    os.close(theirs)
    line = re.compile(rb"(\d+) of 4000 cases \(\d+ %\), 0 failed, [0-9.e+]+ per second, about .+? left")
    shown, text = [], b""
    while len(shown) < 4:
        text += os.read(ours, 4096)
        shown = [int(done) for done in line.findall(text)]
    os.write(ours, b"\x03")  # Ctrl-C
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # nobody has the terminal any more
            break
        if not part:
            break
        text += part
    assert process.wait(timeout=60) == 130, process.returncode
    assert shown == sorted(shown) and shown[-1] > 0, shown
    told = re.search(rb"interrupted after (\d+) of 4000 cases; go on with: driftless sweep \S+ --resume terminal.h5", text)
    assert told and shown[-1] <= int(told.group(1)) < 4000, text[-400:]


def torn_cases_run_again():
    import h5py
    with h5py.File("whole.h5") as file:
        offset = file["results"].id.get_offset()
        width = file["results"].shape[1]
    whole = contents("whole.h5")
    with open("torn.h5", "wb") as file:
        file.write(whole)
        file.seek(offset + 8*(7*width + 2))
        file.write(b"\0\0\0\0")
    assert contents("torn.h5") != whole
    sweep(example("pendulum.lua"), "--resume", "torn.h5")
    assert contents("torn.h5") == whole


def processes_do_not_change_a_byte():
    if not shutil.which("mpirun") or not os.path.exists(os.path.join(os.path.dirname(program), "driftless_mpi.so")):
        print("no MPI: skipped")
        return
    os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    os.environ["ASAN_OPTIONS"] = "detect_leaks=0"  # MPI itself keeps memory
    shared = lambda ranks: ["mpirun", "--oversubscribe", "-n", str(ranks), program]
    arguments = ["sweep", example("pendulum.lua"), "--sample", "m=uniform(1,2)", "--sample", "g=normal(9.81,0.1)", "--count", "300"]
    for ranks in (2, 4):
        subprocess.run([*shared(ranks), *arguments, "--output", f"ranks{ranks}.h5", "--quiet"], check=True, timeout=120)
        assert contents(f"ranks{ranks}.h5") == contents("whole.h5")


def jobs_of_clusters_run():
    environment = os.environ | {"MODEL": example("pendulum.lua"), "DRIFTLESS": program, "COUNT": "6"}
    scripts = ["array.sh"]
    if shutil.which("mpirun") and os.path.exists(os.path.join(os.path.dirname(program), "driftless_mpi.so")):
        scripts.append("mpi.sh")
    for script in scripts * 2:  # the second time there is nothing left to do
        subprocess.run(["bash", example(f"cluster/{script}")], check=True, timeout=120, env=environment, stderr=subprocess.DEVNULL)
    assert [float(row["m"]) for row in table("part0.csv")] == [1, 1.8, 2.6, 3.4, 4.2, 5]


# Ishigami's function with 7 and 0.1: indices in closed form (Saltelli et al. 2008, p. 179).
def sensitivity_indices_are_those_of_ishigami():
    bounds = "uniform(-3.141592653589793,3.141592653589793)"
    found = sweep("ishigami.lua", *[word for name in "abc" for word in ("--sample", f"{name}={bounds}")], "--count", "4096", "--seed", "5",
                  "--design", "saltelli", "--bootstrap", "200", "--output", "ishigami.h5")
    assert found["cases"] == 5*4096 and found["failed"] == 0
    a, b, pi4, pi8 = 7, 0.1, math.pi**4, math.pi**8
    parts = {"a": 0.5*(1 + b*pi4/5)**2, "b": a*a/8, "c": 0, "ac": b*b*pi8*8/225}
    variance = sum(parts.values())
    index = {item["of"]: item for item in found["sensitivity"]}["f.final"]
    for name in "abc":
        first = parts[name]/variance
        total = first + (parts["ac"]/variance if name in "ac" else 0)
        assert abs(index["first"][name] - first) < 0.01, (name, index, first)
        assert abs(index["total"][name] - total) < 0.01, (name, index, total)
        for key, value in (("first", first), ("total", total)):
            low, high = index[key + "_interval"][name]
            assert low <= index[key][name] <= high and low - 0.01 < value < high + 0.01 and high - low < 0.15, (name, key, low, value, high)


def pages_show_studies():
    for study in ("ishigami.h5", "fragile.h5"):
        run("view", study, "--output", "page.html", "--quiet")
        page = contents("page.html").decode()
        data = json.loads(page[page.index('data-kind="analysis">') + 21:page.index("</script>", page.index('data-kind="analysis">'))])
        assert data["command"] == "sweep" and len(data["result"]["rows"]) == min(4000, data["result"]["cases"])
        assert bool(data["result"]["sensitivity"]) == (study == "ishigami.h5")
    assert "FILE.html" in run("view", "fragile.h5", "--output", "page.svg", expect=2).stderr


def cases_come_from_a_file():
    write("list.csv", '# lengths\nk,"initial(x)"\n4, 1\n9,2\n\n16,3\n')
    sweep("spring.lua", "--cases", "list.csv", "--columns", "x,der(x)", "--output", "list.h5", "--csv", "table.csv")
    rows = table("table.csv")
    assert list(rows[0])[:3] == ["k", "initial(x)", "x.final"] and "der(x).rms" in rows[0]
    for row in rows:
        assert abs(float(row["x.final"]) - float(row["initial(x)"])*math.cos(5*math.sqrt(float(row["k"])))) < 1e-7


def scripts_say_what_is_studied():
    spring = contents("spring.lua").decode()
    os.makedirs("planned/lists", exist_ok=True)

    def plan(text, *arguments, expect=0):
        write("planned/model.lua", spring + text)
        if expect:
            return run("sweep", "planned/model.lua", *arguments, expect=expect).stderr
        sweep("planned/model.lua", *arguments, "--output", "planned.h5", "--csv", "planned.csv")
        return table("planned.csv")

    def asked(*arguments):
        sweep("spring.lua", *arguments, "--output", "asked.h5", "--csv", "asked.csv")
        return table("asked.csv")

    both = ["--over", "initial(x)=1,2", "--over", "k=1:4:3"]
    assert plan('study{ over = { k = "1:4:3", ["initial(x)"] = {1, 2} } }') == asked(*both)
    assert plan('study{ over = { "k=1:4:3", "initial(x)=1,2" }, columns = {"speed"} }') == asked("--over", "k=1:4:3", "--over", "initial(x)=1,2",
                                                                                             "--columns", "speed")
    samples = 'study{ sample = { k = "uniform(1, 2)" }, count = 5, seed = 9, design = "lhs", every = 1 }'
    assert plan(samples) == asked("--sample", "k=uniform(1,2)", "--count", "5", "--seed", "9", "--design", "lhs", "--every", "1")
    assert plan(samples, "--count", "7")[0] == asked("--sample", "k=uniform(1,2)", "--count", "7", "--seed", "9", "--design", "lhs", "--every", "1")[0]
    assert plan(samples, "--over", "k=3,4") == asked("--over", "k=3,4", "--every", "1")
    write("planned/lists/some.csv", "k\n4\n9\n")
    assert plan('study{ cases = "lists/some.csv" }') == asked("--over", "k=4,9")
    run("run", "planned/model.lua", "--quiet")
    for text, message in [("study{ }", "nothing varies"), ("study{ over = { k = 3 } }", "NAME = {1, 2, 5}"), ("study{ ovr = {} }", "did you mean 'over'"),
                          ('study{ over = { k = {1, 0/0} } }', "no finite numbers"), ('study{ cases = "../x.csv" }', "below the model's folder"),
                          ('study{ over = { k = {1} }, count = 1.5 }', "whole number"), ('study{ over = { q = {1} } }', "'q' is not a parameter"),
                          ('study{ over = { k = {1} } }\nstudy{ over = { k = {1} } }', "one already"), ('study{ over = { k = "1:2" } }', "k=1:2")]:
        assert message in plan(text, expect=2), (text, message)


def mistakes_have_messages():
    for arguments, text in [
        (["spring.lua"], "say what varies"),
        (["spring.lua", "--over", "q=1,2"], "'q' is not a parameter"),
        (["spring.lua", "--over", "k=1,2", "--set", "k=3"], "leave one of them out"),
        (["spring.lua", "--over", "k=1,2", "--columns", "plac"], "did you mean place?"),
        (["spring.lua", "--over", "k=1,2", "--design", "lhs"], "--sample"),
        (["spring.lua", "--over", "k=1,2", "--output", "x.csv"], ".h5"),
        (["spring.lua", "--sample", "k=gauss(1,2)"], "normal("),
        (["spring.lua", "--cases", "absent.csv"], "absent.csv"),
        (["spring.lua", "--resume", "spring.lua"], "not the file of a study"),
        (["spring.lua", "--resume", "spring.h5", "--over", "k=1,2"], "leave --over out"),
        (["spring.lua", "--over", "k=1,2", "--threads", "1.5"], "whole number"),
        (["spring.lua", "--over", "k=1,2", "--bootstrap", "100"], "--json"),
    ]:
        assert text in run("sweep", *arguments, expect=2).stderr, (arguments, text)


for check in [f for f in list(globals().values()) if callable(f) and getattr(f, "__module__", "") == "__main__"
              and f.__name__ not in ("run", "sweep", "table", "contents", "write", "slow_arguments", "<lambda>")]:
    check()
    print("ok", check.__name__.replace("_", " "))
