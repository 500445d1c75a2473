"""Studies as commands: tables against runs, any number of threads, interruptions, limits, statistics.
usage: test_studies.py PROGRAM SOURCE-FOLDER [PART]; PART below 1: fewer cases, and bounds as wide as their errors are then"""
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
part = float(sys.argv[3]) if len(sys.argv) > 3 else 1.0
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
    assert row["message"].startswith("f changes too fast"), row


def statistics_that_are_not_known_have_a_message():
    write("lost.lua", """local k = param("k", 1) local x = position("x") mass(x, 1) force(x, -k) initial{ x = 1 }
output("place", x) output("root", sqrt(x)) simulate{ to = 3, rtol = 1e-8 }""")
    told = run("sweep", "lost.lua", "--over", "k=0.1,1,2", "--output", "lost.h5", "--csv", "lost.csv").stderr
    assert "2 of 3 cases have run with a warning, the first one is case 1: root has no finite value at t = 1." in told, told
    fine, *lost = table("lost.csv")
    assert fine["status"] == "completed" and not fine["message"] and float(fine["root.mean"]) > 0
    for row in lost:  # x = 1 - k t^2/2
        at = float(row["message"].split("t = ")[1].split(":")[0])
        end = math.sqrt(2/float(row["k"]))
        assert row["status"] == "completed" and row["root.mean"] == "nan" and 0 <= at - end < 1, row
        assert abs(float(row["place.mean"]) - (1 - float(row["k"])*9/6)) < 1e-7, row
    again = sweep("lost.lua", "--resume", "lost.h5")
    assert again["doubtful"] == 2 and again["failed"] == 0, again
    run("view", "lost.h5", "--output", "lost.html", "--quiet")
    assert '"doubts": [[1, "root has no finite value' in contents("lost.html").decode()
    single = json.loads(run("run", "lost.lua", "--statistics", "--json", "--quiet").stdout)
    assert single["outputs"]["root"]["mean"] is None and "root has no finite value" in single["warnings"][0], single["warnings"]
    assert not json.loads(run("run", "lost.lua", "--set", "k=0.1", "--statistics", "--json", "--quiet").stdout)["warnings"]


# A soft beam that turns too fast for its data, a table that overshoots between its points, a quaternion that is too long.
def warnings_of_runs_are_those_of_their_cases():
    write("warned.lua", """
local fast, top, long = param("fast", 1), param("top", 1), param("long", 1)
local b = elastic("b", { beam = { from = {0, 0, 0}, to = {8, 0, 0}, EI = 567, EA = 5e6, EI2 = 567, GJ = 400, section_inertia = 1e-3, mass_per_length = .2 },
  modes = 2, frame = "tangent", nodes = { a = 0, tip = 1 }, first_order = true, damping = 0.1 })
revolute("j", ground, b.a, { at = {0, 0, 0}, axis = {0, 0, 1}, motion = fast*time^2/2 })
local ball = body("ball", { mass = 1, com = {0, 0, 1}, inertia = {1, 1, 1} })
local s = spherical("s", ground, ball, { at = {0, 0, 0} })
local f = lookup({0, 1, 2, 3, 4}, {0, 0, top, top, 0}, { kind = "cubic" })
output("d", deflection(b.tip)) output("f", f(time))
initial{ [s.q1] = long, [s.q2] = 0, [s.q3] = 0, [s.q4] = 0 }
simulate{ to = 2, atol = 1e-7 }
""")
    rows = [(0.1, 1, 1), (1, 1, 1), (0.1, 2, 1), (0.1, 0, 1), (0.2, 0, 1.5), (0.2, 0, 1), (1.5, 0, 2)]
    order_does_not_matter("warned.lua", "fast,top,long", rows, (0, 1, 4))
    for (fast, top, long), row in zip(rows, results_of("warned.lua", "fast,top,long", rows), strict=True):
        single = json.loads(run("run", "warned.lua", "--set", f"fast={fast}", "--set", f"top={top}", "--set", f"long={long}", "--json", "--quiet").stdout)
        assert row["message"] == "; ".join(single["warnings"])[:479], (row, single["warnings"])
        assert ("turns faster" in row["message"]) == (fast >= 1) and ("runs from" in row["message"]) == (top > 0)
        assert ("with length" in row["message"]) == (long > 1)


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

    order_does_not_matter("many.lua", heading, rows, range(0, 24, 5))


def results_of(model, heading, rows, *more):
    write("order.csv", heading + "\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
    sweep(model, "--cases", "order.csv", "--threads", "1", "--output", "order.h5", "--replace", "--csv", "order.h5.csv", *more)
    return table("order.h5.csv")


def order_does_not_matter(model, heading, rows, alone, *more):
    def results(chosen):
        return [tuple(row.values()) for row in results_of(model, heading, chosen, *more)]

    found = results(rows)
    assert found == results(rows[::-1])[::-1]
    for i in alone:
        assert found[i] == results(rows[i:i + 1])[0]


# A pendulum is released at rest, turned by the angle a: its height is -cos a at the start, and never more than that, however the
# quaternion of the turn is given: whole, in part, as a guess, too long, or with a part that vanishes.
def drawn_orientations_follow_their_parameters():
    for given in ("initial{ [j.q1] = cos(a/2), [j.q2] = sin(a/2), [j.q3] = 0, [j.q4] = 0 }", "initial{ [j.q2] = sin(a/2) }",
                  "initial{ [j.q2] = sin(a/2) } guess{ [j.q3] = c }", "initial{ [j.q1] = 2*cos(a/2), [j.q2] = 2*sin(a/2), [j.q3] = 0, [j.q4] = 0 }",
                  "initial{ [j.q1] = cos(a/2) } guess{ [j.q2] = 1 }"):
        write("turned.lua", f"""
gravity{{0, 0, -9.81}}
local a, c = param("a", 0.3), param("c", 0)
local b = body("b", {{ mass = 1, com = {{0, 0, -1}}, inertia = {{0.1, 0.1, 0.1}} }})
local j = spherical("j", ground, b, {{ at = {{0, 0, 0}} }})
output("z", point(b, {{0, 0, -1}}).z)
{given}
simulate{{ to = 0.1 }}
""")
        rows = [(0.3, 0), (0.6, 0), (1, 0), (0, 0), (0.6, 0), (math.pi/2, 0)]
        write("turned.csv", "a,c\n" + "".join(f"{a!r},{c!r}\n" for a, c in rows))
        sweep("turned.lua", "--cases", "turned.csv", "--threads", "1", "--output", "turned.h5", "--replace", "--csv", "turned.h5.csv")
        for (a, c), row in zip(rows, table("turned.h5.csv"), strict=True):
            assert abs(float(row["z.max"]) + math.cos(a)) < 1e-8, (given, a, row["z.max"])
        order_does_not_matter("turned.lua", "a,c", [*rows, (0.6, 0.1), (0.7, 0)], (1, 3, 6))
    order_does_not_matter("turned.lua", 'a,"initial(j.q2)"', [(0.3, 0.1), (0.6, 0.1), (0.6, 0.2), (0.3, 0.1)], (1, 2))
    order_does_not_matter("turned.lua", 'a,"initial(j.q1)"', [(0.3, 0.9), (0.6, 0.9), (0.6, 0.8), (0.3, 0.9)], (1, 2))


# Trees of bodies in numbers, with a loop, take new numbers; bodies without mass, the order of a beam's modes, quasistatic balances and
# along which speeds forces jump are decided anew.
def drawn_mechanisms_do_not_remember_a_case():
    write("tree.lua", """
gravity{0, 0, -9.81}
local before, m, L, d = ground, param("m", 1), param("L", 1), param("d", 1)
for i = 1, 5 do
  local b = body("b" .. i, { mass = i == 3 and m or 1, com = {(i - 0.5)*L, 0, 0}, inertia = i == 3 and {m, m, m} or {0.1, 0.1, 0.1} })
  local j = revolute("j" .. i, before, b, { at = {(i - 1)*L, 0, 0.2*(i - 1)*(i - 6)*L}, axis = {0, 1, 0} })
  force(j.q, -d*j.qd)
  if i == 2 then output("z", point(b, {2*L, 0, 0}).z) end
  before = b
end
revolute("close", ground, before, { at = {5*L, 0, 0}, axis = {0, 1, 0} })
simulate{ to = 0.1 }
""")
    rows = [(1, 1, 1), (0, 1, 2), (2, 1.1, 3), (2, 1, 1), (1e-12, 1, 1), (1, 0.9, 1)]
    order_does_not_matter("tree.lua", "m,L,d", rows, (2, 4), "--evaluation", "recursion")
    order_does_not_matter("tree.lua", "m,L,d", rows, (2, 4), "--linear", "sparse")  # absolute coordinates
    write("bends.lua", """
planar() gravity{0, -9.81}
local m, h = param("m", 0.5), param("h", 0.008)
local rod = elastic("rod", { beam = { from = {0, 0}, to = {0.3, 0}, width = 0.008, height = h, E = 2e11, density = 7870 }, modes = 2, nodes = { a = 0, b = 1 } })
local tip = body("tip", { mass = m, com = {0.3, 0}, inertia = 1e-4 })
revolute("pin", ground, rod.a, { at = {0, 0} })
fixed("clamp", rod.b, tip, { at = {0.3, 0} })
output("y", point(tip, {0.3, 0}).y)
simulate{ to = 0.01, rtol = 1e-6 }
""")
    rows = [(0.5, 0.008), (0.6, 0.008), (0.6, 0.009), (0.5, 0.3), (0.7, 0.008), (0.7, 0.31)]  # a high one stretches before it bends twice
    order_does_not_matter("bends.lua", "m,h", rows, (1, 2, 4, 5))
    order_does_not_matter("bends.lua", "m,h", rows, (2, 4), "--evaluation", "recursion")
    write("node.lua", """
local m, k = param("m", 0), param("k", 100)
local x, y = position("x", "y")
mass(x, 1) mass(y, m)
potential(k*(x - y)^2/2 + 50*y^2)
force(y, -2*velocity(y))
initial{ x = 0.1, y = 0.05 }
simulate{ to = 1 }
""")
    order_does_not_matter("node.lua", "m,k", [(0, 100), (0, 90), (1, 90), (0, 80), (2, 80), (1e-9, 80), (0, 100)], (1, 4))
    write("still.lua", """
planar()
local n, k, d, F = param("n", 0), param("k", 1e3), param("d", 0), param("F", 1)
local node = body("node", { mass = n, com = {1, 0}, quasistatic = true })
local block = body("block", { mass = 1, com = {2, 0} })
local p = prismatic("p", ground, node, { at = {1, 0}, axis = {1, 0} })
local q = prismatic("q", node, block, { at = {2, 0}, axis = {1, 0} })
force(p.q, -k*p.q - 10*p.q^3 - d*p.qd)
force(q.q, -2*k*q.q)
local x, y = position("x", "y")
mass(x, 1) mass(y, 2)
force(x, 3*sin(20*time) - F*sign(velocity(x) - velocity(y)/2))
output("e", p.q) output("f", q.q)
initial{ [q.q] = 0.05 }
simulate{ to = 0.3, rtol = 1e-6 }
""")
    rows = [(0, 1e3, 0, 1), (0, 1.1e3, 0, 2), (0, 5e3, 0, 2), (0.1, 5e3, 0, 0), (0, 1e3, 1, 0), (0, 1.2e3, 1, 0), (0, 1e3, 0, -1)]
    order_does_not_matter("still.lua", "n,k,d,F", rows, range(1, 6))  # the last one fails


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


# Runs of other lengths, from other times: x = cos(t - s), in rows from s on.
def series_begin_with_their_case():
    import h5py
    write("lengths.lua", """
local T, s = param("T", 1), param("s", 0)
local x = position("x")
mass(x, 1) force(x, -x)
output("X", x)
initial{ x = 1, [velocity(x)] = 0 }
simulate{ to = T, from = s, rtol = 1e-9 }
""")
    write("lengths.csv", "T,s\n1,0\n0.5,0.1\n3,0\n")
    told = sweep("lengths.lua", "--cases", "lengths.csv", "--every", "0.25", "--output", "lengths.h5", "--csv", "lengths-table.csv")
    assert told["doubtful"] == 1 and "series ends at t = 1" in table("lengths-table.csv")[2]["message"]
    with h5py.File("lengths.h5") as file:
        for case, times in enumerate([(0, 0.25, 0.5, 0.75, 1), (0.1, 0.35, 0.5), (0, 0.25, 0.5, 0.75, 1)]):
            stored = file["series"][case][:len(times)]
            assert all(abs(row[0] - t) < 1e-12 and abs(row[1] - math.cos(t - times[0])) < 1e-8 for row, t in zip(stored, times)), stored
            assert all(math.isnan(t) for t in file["series"][case, len(times):, 0])


# An event that the runs of v > 1/2 meet, at 1/(2 v): a mean over fewer cases, and no parts of a variance.
def results_that_some_cases_lack():
    write("half.lua", """
local v, w = param("v", 1), param("w", 1)
local x = position("x")
mass(x, w)
event("there", x - 0.5)
initial{ x = 0, [velocity(x)] = v }
simulate{ to = 1 }
""")
    told = sweep("half.lua", "--sample", "v=uniform(0,1)", "--count", "64", "--design", "lhs", "--bootstrap", "10", "--output", "half.h5")
    assert {item["of"]: item["cases"] for item in told["statistics"]} | {"there.first": 32, "x.final": 64} == {
        item["of"]: item["cases"] for item in told["statistics"]}
    told = sweep("half.lua", "--sample", "v=uniform(0,1)", "--sample", "w=uniform(1,2)", "--count", "64", "--design", "saltelli", "--output", "parts.h5")
    parts = {item["of"]: item["first"]["v"] for item in told["sensitivity"]}
    assert parts["there.first"] is None and abs(parts["x.final"] - 1) < 0.05


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
    count = int(2000*part)
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
    sweep("heavy.lua", "--over", "n=2,90,2,3,90,2,2,2", "--case-memory", "2", "--output", "heavy.h5", "--csv", "heavy.csv")
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


# A repeated command loses nothing, neither of a study that is finished nor of one that was interrupted.
def studies_are_replaced_on_demand_alone():
    sweep("spring.lua", "--over", "k=1,2,3", "--output", "old.h5")
    once = contents("old.h5")
    for arguments in (["--over", "k=1,2,3"], ["--over", "k=4,5"]):
        told = run("sweep", "spring.lua", *arguments, "--output", "old.h5", expect=2).stderr
        assert "3 of 3 cases done" in told and "--resume old.h5" in told and "--output" in told and "--replace" in told, told
    assert contents("old.h5") == once
    shutil.copy("live.h5", "cut.h5")
    assert "--resume cut.h5 goes on" in run(*slow_arguments("cut.h5"), expect=2).stderr
    assert contents("cut.h5") == contents("live.h5")
    for path in ("old.h5", "cut.h5"):
        sweep("spring.lua", "--over", "k=4,5", "--output", path, "--replace", "--csv", "new.csv")
        assert [row["k"] for row in table("new.csv")] == ["4", "5"]
    assert "leave --replace out" in run("sweep", "spring.lua", "--resume", "old.h5", "--replace", expect=2).stderr
    write("empty.h5", "")  # no study
    sweep("spring.lua", "--over", "k=4,5", "--output", "empty.h5")


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
    with h5py.File("whole.h5") as file:
        messages, states, width = file["messages"].id.get_offset(), file["cases"].id.get_offset(), file["messages"].dtype.itemsize
    with open("torn.h5", "r+b") as file:  # a message of a case that was then killed
        file.seek(messages + 9*width)
        file.write(b"not finished within")
        file.seek(states + 9)
        file.write(b"\0")
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
    count = int(4096*part)
    error = 0.01*math.sqrt(4096/count)
    bounds = "uniform(-3.141592653589793,3.141592653589793)"
    found = sweep("ishigami.lua", *[word for name in "abc" for word in ("--sample", f"{name}={bounds}")], "--count", str(count), "--seed", "5",
                  "--design", "saltelli", "--bootstrap", "200", "--output", "ishigami.h5")
    assert found["cases"] == 5*count and found["failed"] == 0
    a, b, pi4, pi8 = 7, 0.1, math.pi**4, math.pi**8
    parts = {"a": 0.5*(1 + b*pi4/5)**2, "b": a*a/8, "c": 0, "ac": b*b*pi8*8/225}
    variance = sum(parts.values())
    index = {item["of"]: item for item in found["sensitivity"]}["f.final"]
    for name in "abc":
        first = parts[name]/variance
        total = first + (parts["ac"]/variance if name in "ac" else 0)
        assert abs(index["first"][name] - first) < error, (name, index, first)
        assert abs(index["total"][name] - total) < error, (name, index, total)
        for key, value in (("first", first), ("total", total)):
            low, high = index[key + "_interval"][name]
            assert low <= index[key][name] <= high and low - error < value < high + error and high - low < 15*error, (name, key, low, value, high)


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


    spring = contents("spring.lua").decode().replace('"k"', '"E"')  # as digits of a number, but a name
    write("young.lua", spring)
    write("young.csv", "E\n9\n")
    sweep("young.lua", "--cases", "young.csv", "--output", "young.h5")
    write("young.csv", "9\n10\n")
    assert "the first row has the names of parameters, not '9'" in run("sweep", "young.lua", "--cases", "young.csv", expect=2).stderr


def scripts_say_what_is_studied():
    spring = contents("spring.lua").decode()
    os.makedirs("planned/lists", exist_ok=True)

    def plan(text, *arguments, expect=0):
        write("planned/model.lua", spring + text)
        if expect:
            return run("sweep", "planned/model.lua", *arguments, expect=expect).stderr
        sweep("planned/model.lua", *arguments, "--output", "planned.h5", "--replace", "--csv", "planned.csv")
        return table("planned.csv")

    def asked(*arguments):
        sweep("spring.lua", *arguments, "--output", "asked.h5", "--replace", "--csv", "asked.csv")
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


# x = a + b t is linear in both, so that a fit to resampled residuals has the covariance s^2 (X'X)^-1, s^2 the mean square of
# the residuals r/sqrt(1 - h) less their mean (Davison and Hinkley 1997, section 6.2).
def fits_have_intervals_by_the_bootstrap():
    import numpy
    times = numpy.linspace(0.5, 4, 36)
    noise = numpy.random.default_rng(4).exponential(0.05, 36) - 0.05
    write("line.csv", "t,x\n" + "".join(f"{t!r},{1 + 2*t + e!r}\n" for t, e in zip(times.tolist(), noise.tolist())))
    line = lambda more: """local a, b = param("a", 0.5), param("b", 1) local x = position("x") mass(x, 1)
initial{ x = a, [velocity(x)] = b } simulate{ to = 4, rtol = 1e-8 }
optimize{ vary = { a = {0, 4}, b = {0, 4} }, %s }""" % more
    write("line.lua", line('fit = { file = "line.csv", x = "x" }'))
    fit = lambda *more, model="line.lua": json.loads(run("optimize", model, "--json", "--quiet", *more).stdout)
    X = numpy.column_stack([numpy.ones(36), times])
    inverse = numpy.linalg.inv(X.T @ X)
    best = inverse @ X.T @ (1 + 2*times + noise)
    residuals = (1 + 2*times + noise - X @ best)/numpy.sqrt(1 - numpy.einsum("ij,jk,ik->i", X, inverse, X))
    deviations = numpy.sqrt(numpy.diag(inverse)*residuals.var())
    resamples = int(600*part)
    found = fit("--bootstrap", str(resamples), "--seed", "3", "--threads", "2")
    assert found["bootstrap"]["resamples"] == resamples and found["bootstrap"]["failed"] == 0, found
    for name, value, deviation in zip("ab", best, deviations):
        assert abs(found["best"][name] - value) < 1e-6
        # four standard errors of a percentile, sqrt(p (1 - p)/n)/density of the normal distribution there
        most = 4*math.sqrt(0.025*0.975/resamples)/0.0584
        for end, side in (("low", -1.96), ("high", 1.96)):
            assert abs((found["bootstrap"][end][name] - value)/deviation - side) < most, (name, end, found, value, deviation)
    some = fit("--bootstrap", "40", "--seed", "4", "--threads", "3")
    assert some == fit("--bootstrap", "40", "--seed", "4", "--threads", "1")
    assert some["bootstrap"] != fit("--bootstrap", "40", "--seed", "5")["bootstrap"] and fit()["bootstrap"] is None
    assert " to " in run("optimize", "line.lua", "--bootstrap", "20", "--quiet").stdout.split("bootstrap")[1]
    # a limit that holds anyway has measures of its own, which are no residuals
    write("limited.lua", line('fit = { file = "line.csv", x = "x" }, subject = { limit(final(x), "<=", 100) }'))
    limited = fit("--bootstrap", "40", model="limited.lua")
    for name in "ab":
        assert abs(limited["deviation"][name]/fit()["deviation"][name] - 1) < 1e-3, limited
        assert limited["bootstrap"]["low"][name] < best["ab".index(name)] < limited["bootstrap"]["high"][name]
    write("smallest.lua", line("minimize = final(x^2)"))
    assert "for a fit alone" in run("optimize", "smallest.lua", "--bootstrap", "10", expect=2).stderr
    assert "whole number" in run("optimize", "line.lua", "--bootstrap", "1.5", expect=2).stderr


def mistakes_have_messages():
    write("semicolons.csv", "k;m\n1;2\n")
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
        (["half.lua", "--resume", "spring.h5"], "study of another model"),
        (["spring.lua", "--resume", "spring.h5", "--over", "k=1,2"], "leave --over out"),
        (["spring.lua", "--over", "k=1,2", "--threads", "1.5"], "whole number"),
        (["spring.lua", "--over", "k=1,2", "--bootstrap", "100"], "--json"),
        (["spring.lua", "--over", "k=1,2", "--bootstrap", "-3", "--json"], "must be positive"),
        (["spring.lua", "--over", "stiffness=1,2"], "there are k"),
        (["spring.lua", "--sample", "k=uniform(1,2)", "--seed", "0"], "from 1 on"),
        (["spring.lua", "--sample", "k=uniform(2,1)"], "LOWEST < HIGHEST"),
        (["spring.lua", "--over", "k=1:2:1e10"], "from 1 to 1e9"),
        (["spring.lua", "--cases", "semicolons.csv"], "separate numbers by commas"),
    ]:
        assert text in run("sweep", *arguments, expect=2).stderr, (arguments, text)


for check in [f for f in list(globals().values()) if callable(f) and getattr(f, "__module__", "") == "__main__"
              and f.__name__ not in ("run", "sweep", "table", "contents", "write", "slow_arguments", "results_of", "order_does_not_matter", "<lambda>")]:
    check()
    print("ok", check.__name__.replace("_", " "))
