"""Elastic bodies with sparse matrices, in exports, gradients, sweeps and every analysis: the answers are those of dense
matrices, of difference quotients, of the run itself, or of statics.
usage: test_everywhere.py PROGRAM SOURCE-FOLDER"""
import csv
import io
import json
import math
import os
import subprocess
import sys
import tempfile

program, root = sys.argv[1:3]
folder = tempfile.TemporaryDirectory()
os.environ["TMPDIR"] = folder.name

ARM = """planar()
gravity{0, -9.81}
local EI = param("EI", 14.6, "N m^2")
local u = input("u", 0)
local arm = elastic("arm", { beam = { from = {0, 0}, to = {1, 0}, EI = EI, EA = 7e6, mass_per_length = .27 },
  modes = 3, damping = .02, nodes = { root = 0, tip = 1 }, frame = "tangent" MORE })
local load = body("load", { mass = .1, com = {1, 0}, inertia = 1e-4 })
local hub = revolute("hub", ground, arm.root, { at = {0, 0} })
fixed("grip", arm.tip, load)
torsion("spring", hub, { stiffness = 20, damping = .5 })
force(hub.q, u)
output("tip", deflection(arm.tip), "m")
output("y", point(load, {1, 0}).y, "m")
simulate{ to = .2, rtol = 1e-9, every = .02 }
"""
SPACE = """gravity{0, -9.81, 1}
local arm = elastic("arm", { beam = { from = {0, 0, 0}, to = {1, .2, .1}, width = .02, height = .03, E = 2e9,
  density = 1500 }, modes = 5, damping = .05, nodes = { a = 0, b = 1 } })
local tip = body("tip", { mass = .2, com = {1.1, .2, .1}, inertia = {1e-3, 2e-3, 1e-3} })
local j = revolute("j", ground, arm.a, { at = {0, 0, 0}, axis = {0, 1, .2} })
spherical("joint", arm.b, tip, { at = {1, .2, .1} })
distance("rope", ground, tip, { at = {1.1, 1, .1}, at_b = {1.1, .2, .1} })
output("y", point(tip, {1.1, .2, .1}).y)
simulate{ to = .2, rtol = 1e-9, every = .02 }
"""


def write(name, text):
    path = os.path.join(folder.name, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path


def call(*arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def table(text):
    rows = list(csv.reader(io.StringIO(text)))
    return {name: [float(row[k]) for row in rows[1:]] for k, name in enumerate(rows[0])}


def run(model, *options):
    return table(call("run", model, "--quiet", "--output", "-", *options))


def same(a, b, part, least=1e-3):
    for name in b:
        if name not in a:
            continue
        size = max(max(map(abs, b[name])), least)
        apart = max(abs(x - y) for x, y in zip(a[name], b[name]))
        assert apart <= part * size, (name, apart, size)


def solve(A, b):
    """Gauss with pivoting, complex."""
    n = len(A)
    A = [list(row) + [b[i]] for i, row in enumerate(A)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(A[i][k]))
        A[k], A[p] = A[p], A[k]
        for i in range(n):
            if i != k:
                f = A[i][k] / A[k][k]
                A[i] = [x - f * y for x, y in zip(A[i], A[k])]
    return [A[i][n] / A[i][i] for i in range(n)]


def test_sparse(models):
    for model in models:
        tight = ("--rtol", "1e-9", "--atol", "1e-11")
        dense = run(model, "--linear", "dense", *tight)
        same(run(model, "--linear", "sparse", *tight), dense, 1e-6)
        for form in ("ggl", "psi1"):
            same(run(model, "--form", form, *tight), dense, 1e-6)


def test_exports(models):
    for model, version in models:
        fmu = os.path.join(folder.name, "it.fmu")
        call("export", model, "--fmu", version, "--output", fmu)
        same(table(call("run", fmu, "--to", ".2", "--every", ".02", "--quiet", "--output", "-")), run(model), 1e-5)


def test_gradient(model):
    exact = json.loads(call("gradient", model, "--of", "y", "--by", "EI,u", "--json"))["gradient"]
    for name, at, step in (("EI", 14.6, 1e-2), ("u", 0.0, 1e-2)):
        up, down = (run(model, "--rtol", "1e-11", "--set", f"{name}={at + s}")["y"][-1] for s in (step, -step))
        quotient = (up - down) / (2 * step)
        assert abs(exact[name] - quotient) < 1e-4 * abs(quotient), (name, exact, quotient)


def test_optimize():
    """EI from two positions of the tip."""
    y = run(write("true.lua", ARM.replace("MORE", "")), "--set", "EI=17.3")["y"]
    fit = f"optimize{{ vary = {{ EI = {{10, 30}} }}, minimize = 1e6*at(.1, (Y + {-y[5]!r})^2) + " \
          f"1e6*at(.2, (Y + {-y[10]!r})^2) }}\nsimulate"
    text = ARM.replace("MORE", "").replace('output("y", point(load, {1, 0}).y, "m")', "local Y = point(load, {1, 0}).y")
    found = json.loads(call("optimize", write("fit.lua", text.replace("simulate", fit)), "--json"))
    assert abs(found["best"]["EI"] - 17.3) < 1e-3, found


def test_sweep(model):
    out = os.path.join(folder.name, "cases.csv")
    call("sweep", model, "--over", "EI=10,20", "--csv", out, "--output", os.path.join(folder.name, "cases.h5"))
    with open(out, encoding="ascii") as file:
        cases = list(csv.DictReader(file))
    for case in cases:
        assert float(case["y.final"]) == run(model, "--set", "EI=" + case["EI"])["y"][-1]


def test_near_equilibrium(model):
    """Statics: P L^3 / 3 EI + q L^4 / 8 EI across the turned beam (three modes have 99 % of it); the analyses agree."""
    rest = json.loads(call("equilibrium", model, "--json"))["state"]
    straight = 9.81 * (.1 / 3 + .27 / 8) / 14.6 * math.cos(rest["hub.q"])
    assert abs(rest["tip"] + straight) < .02 * straight, (rest, straight)
    near = json.loads(call("linearize", model, "--at", "equilibrium", "--json"))
    A, B, C, D = (near[k] for k in "ABCD")
    n = len(A)
    roots = json.loads(call("modes", model, "--at", "equilibrium", "--json"))["eigenvalues"]
    roots = [complex(r["re"], r["im"]) for r in roots]
    assert len(roots) == n and abs(sum(roots) - sum(A[i][i] for i in range(n))) < 1e-7 * abs(sum(roots))
    squares = sum(A[i][k] * A[k][i] for i in range(n) for k in range(n))
    assert abs(sum(r * r for r in roots) - squares) < 1e-7 * abs(squares)
    rows = table(call("response", model, "--at", "equilibrium", "--from", 5, "--to", 100, "--points", 4))
    for k, w in enumerate(rows["omega"]):
        x = solve([[1j * w * (i == l) - A[i][l] for l in range(n)] for i in range(n)], [b[0] for b in B])
        for o, name in enumerate(near["outputs"]):
            wanted = sum(c * y for c, y in zip(C[o], x)) + D[o][0]
            found = complex(rows[name + "/u.re"][k], rows[name + "/u.im"][k])
            assert abs(found - wanted) < 1e-6 * abs(wanted), (w, name, found, wanted)
    feedback = json.loads(call("lqr", model, "--at", "equilibrium", "--state-weight", "hub.q=1", "--json"))
    poles = sum(complex(r["re"], r["im"]) for r in feedback["poles"])
    closed = sum(A[i][i] - B[i][0] * feedback["K"][0][i] for i in range(n))
    assert abs(poles - closed) < 1e-7 * abs(closed), (poles, closed)


def test_inverse():
    """The torque with which the hub follows a path, and the run with this torque."""
    path = "motion(hub.q, .2*(1 - cos(10*time)))\nsimulate"
    model = write("path.lua", ARM.replace("MORE", "").replace("simulate", path))
    table_file, state = (os.path.join(folder.name, "drive." + k) for k in ("csv", "json"))
    call("inverse", model, "--every", "1e-3", "--output", table_file, "--output", state)
    again = run(write("again.lua", ARM.replace("MORE", "")), "--start-from", state, "--input",
                f"u={table_file}:u:cubic")
    for t, q in zip(again["time"], again["hub.q"]):
        assert abs(q - .2 * (1 - math.cos(10 * t))) < 1e-5, (t, q)


def test_texts(models):
    for model in models:
        for kind in ("--c", "--octave", "--sfunction"):
            call("export", model, kind, "--output", os.path.join(folder.name, "it.c" if kind != "--octave" else "it.m"))
        assert "arm.q1" in call("equations", model)


def test_sid():
    """A beam of first order as SID file has the same frequencies as the beam."""
    beam = """local arm = elastic("arm", { beam = { from = {0, 0, 0}, to = {1.5, 0, 0}, width = .02, height = .03, E = 2e9,
  density = 1500 }, modes = 7, damping = .05, frame = "tangent", first_order = true, nodes = { a = 0, b = 1 } })
"""
    rest = """local hub = revolute("hub", ground, arm.a, { at = {0, 0, 0}, axis = {0, 1, .2}, stiffness = 1 })
local tip = body("tip", { mass = .2, com = {1.5, .2, .1}, inertia = {1e-3, 2e-3, 1e-3} })
fixed("grip", arm.b, tip)
torsion("spring", hub, { stiffness = 20 })
initial{ [hub.qd] = 1 }
simulate{ to = .1, rtol = 1e-9, every = .02 }
""".replace(", stiffness = 1 }", " }")
    slow, model = {}, write("beam.lua", beam + rest)
    call("export", model, "--sid", "arm", "--output", os.path.join(folder.name, "arm.SID_FEM"))
    again = write("again-sid.lua", 'local arm = elastic("arm", { file = "arm.SID_FEM", at = {0, 0, 0} })\n' + rest)
    same(run(again), run(model), 1e-6)
    turning = rest.replace("initial{ [hub.qd] = 1 }", "").replace('torsion("spring", hub, { stiffness = 20 })', "") \
        .replace("axis = {0, 1, .2}", "axis = {0, 1, .2}, motion = 5*time")
    for order in ("true", "false"):  # with what loads do to the stiffness of a beam of second order
        model = write("spin.lua", beam.replace("first_order = true", "first_order = " + order) + turning)
        call("export", model, "--sid", "arm", "--output", os.path.join(folder.name, "arm.SID_FEM"))
        again = write("again-sid.lua", 'local arm = elastic("arm", { file = "arm.SID_FEM", at = {0, 0, 0} })\n' + turning)
        slow[order], w = (json.loads(call("modes", m, "--at", "equilibrium", "--json"))["eigenvalues"][0] for m in (model, again))
        assert abs(slow[order]["im"] - w["im"]) < 2e-3 * w["im"], (order, slow, w)
    assert slow["false"]["im"] > 1.1 * slow["true"]["im"], slow
    bent = """local b = elastic("b", { beam = { from = {0, 0, 0}, to = {1, 0, 0}, EI = 200, EI2 = 50, EA = 1e4, GJ = 3, mass_per_length = 1.3,
  section_inertia = .002 }, modes = MODES, frame = "tangent", nodes = { a = 0, c = 1 } })
"""
    rest = """gravity{0, -5, -9.81}
local j = revolute("j", ground, b.a, { at = {0, 0, 0}, axis = {0, 1, 1} })
initial{ [j.qd] = 2 }
output("x", b.c.x) output("y", b.c.y) output("z", b.c.z)
simulate{ to = .4, rtol = 1e-9, every = .02 }
"""
    for modes in ("5", "8"):  # twists of thin sections: deflections of several times their radius of inertia
        model = write("bent.lua", bent.replace("MODES", modes) + rest)
        call("export", model, "--sid", "b", "--output", os.path.join(folder.name, "b.SID_FEM"))
        again = write("again-sid.lua", 'local b = elastic("b", { file = "b.SID_FEM", at = {0, 0, 0} })\n' + rest)
        was, now = run(model), run(again)
        for k in "xyz":
            assert max(abs(x - y) for x, y in zip(was[k], now[k])) < 2e-3, (modes, k)
        assert max(map(abs, was["z"])) > .04
        done = subprocess.run([program, "run", again, "--output", "-"], capture_output=True, text=True, timeout=60)
        assert "nothing in its data" not in done.stderr, done.stderr
    bent = """local b = elastic("b", { section = { width = .03, height = .02, E = 2.1e10, density = 7850, elements = 4 }, points = { a = {0, 0, 0},
  p = {1, 0, 0}, c = {1.2, .8, .1} }, beams = { { between = {"a", "p"} }, { between = {"p", "c"} } }, interfaces = {"a", "c"}, modes = 2 })
"""
    rest = """gravity{0, 0, -9.81}
revolute("j", ground, b.a, { at = {0, 0, 0}, axis = {0, .3, 1} })
simulate{ to = TO }
"""
    model = write("bent.lua", bent + rest.replace("TO", ".1"))
    call("export", model, "--sid", "b", "--output", os.path.join(folder.name, "b.SID_FEM"))
    for to, said in ((".001", False), (".1", True)):  # before masses become negative
        again = write("again-sid.lua", 'local b = elastic("b", { file = "b.SID_FEM", at = {0, 0, 0} })\n' + rest.replace("TO", to))
        done = subprocess.run([program, "run", again, "--output", "-"], capture_output=True, text=True, timeout=60)
        assert ("deflects further than its data goes" in done.stderr) == said, done.stderr
    done = subprocess.run([program, "export", model, "--sid", "leg"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "'leg'" in done.stderr, done


def test_doubts():
    """A beam of 2.91 rad/s is brought to 6 rad/s: without stiffening by the turning it says so, and that it leaves small deflections."""
    text = """planar()
local b = elastic("b", { beam = { from = {0, 0}, to = {8, 0}, EI = 566.7, EA = 5.031e6, mass_per_length = .20188 },
  modes = 2, frame = "tangent", nodes = { a = 0, tip = 1 }, first_order = FIRST })
local w = 2*pi/15
revolute("j", ground, b.a, { at = {0, 0}, motion = 6/15*(time^2/2 + (cos(w*time) - 1)/w^2) })
simulate{ to = 10, every = .1 }
"""
    for first, said in (("false", False), ("true", True)):
        model = write("spin.lua", text.replace("FIRST", first))
        done = subprocess.run([program, "run", model, "--output", "-"], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        assert ("turns faster than 0.92" in done.stderr) == said, done.stderr
        assert ("deflects by more than 0.15 of its size" in done.stderr) == said, done.stderr
        assert done.stderr.count("turns faster") <= 1


STRIP = """local b = elastic("b", { beam = { from = {0, 0, 0}, to = {2, 0, 0}, EI = STRONG, EI2 = WEAK, EA = 1e6, GJ = 3, mass_per_length = 1,
  section_inertia = .01 }, MODES, damping = .1, nodes = { root = 0, tip = 1 } })
fixed("wall", ground, b.root)
wrench("pull", ground, b.tip, { at = {2, 0, 0}, force = FORCE })
simulate{ to = 2 }
"""


def test_strips():
    """A strip on edge falls over at a force of 4.013 sqrt(EI2 GJ) / L^2 at its end (Prandtl, 1899); where modes for that are missing, it
    says so."""
    critical = 4.013 * (5 * 3)**.5 / 2**2

    def strip(strong, weak, force, modes):
        return write("strip.lua", STRIP.replace("STRONG", str(strong)).replace("WEAK", str(weak)).replace("MODES", modes)
                     .replace("FORCE", "{%g, %g, %g}" % force))
    few, shapes = "modes = 4, first_order = true", "modes = 3, interface = true, frame = "
    for modes in (shapes + '"tangent"', shapes + '"chord"', 'modes = 12, frame = "tangent"'):
        for strong, weak, axis in ((5000, 5, 1), (5, 5000, 2)):
            for part in (.99, 1.02):
                model = strip(strong, weak, (0, -part * critical * (axis == 1), part * critical * (axis == 2)), modes)
                roots = json.loads(call("modes", model, "--at", "equilibrium", "--json"))["eigenvalues"]
                assert (max(r["re"] for r in roots) > .05) == (part > 1), (modes, strong, part, roots)
    for strong, weak, force, modes, said in ((200, 5, (0, -.5 * critical, 0), few, True), (200, 5, (0, -.05 * critical, 0), few, False),
                                             (5, 200, (0, 0, critical), few, True), (5, 5, (0, -.02, 0), few, False),
                                             (200, 5, (critical, 0, 0), few, False), (200, 5, (0, -.5 * critical, 0), shapes + '"chord"', False)):
        for evaluation in ("tape", "recursion"):
            done = subprocess.run([program, "run", strip(strong, weak, force, modes), "--output", "-", "--evaluation", evaluation],
                                  capture_output=True, text=True, timeout=60)
            assert done.returncode == 0 and ("sideways" in done.stderr) == said, (strong, force, modes, done.stderr)
    frame = STRIP.replace("beam = { from = {0, 0, 0}, to = {2, 0, 0},", "section = {").replace("MODES, damping = .1, nodes = { root = 0, tip = 1 }", """
  points = { root = {0, 0, 0}, tip = {2, 0, 0} }, beams = { { between = {"root", "tip"} } }, interfaces = {"root", "tip"}, modes = 2, damping = .1""")
    for strong, weak, force, said in ((200, 5, (0, -.5 * critical, 0), True), (200, 5, (0, -.05 * critical, 0), False), (5, 200, (0, 0, critical), True),
                                      (5, 5, (0, -.1, 0), False), (200, 5, (critical, 0, 0), False)):
        model = write("frame.lua", frame.replace("STRONG", str(strong)).replace("WEAK", str(weak)).replace("FORCE", "{%g, %g, %g}" % force))
        done = subprocess.run([program, "run", model, "--output", "-"], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and ("sideways" in done.stderr) == said, (strong, force, done.stderr)


def test_axes():
    """Sections with the same stiffness in all directions have no axes: what is left of those that were chosen, and of the frame, is of
    third order, an eighth of it at half the load."""
    text = """gravity{0, -GRAVITY, .3*GRAVITY}
local b = elastic("b", { beam = { from = {0, 0, 0}, to = {1.3, 0, 0}, UP EI = 30, EI2 = 30, EA = 1e7, GJ = 12, mass_per_length = 1,
  section_inertia = 1e-3 }, modes = 2, interface = true, damping = .01, nodes = { a = 0, b = 1 }, frame = "FRAME" })
fixed("wall", ground, b.a)
local m = body("m", { mass = .5, com = {1.3, .1, .4}, inertia = {.01, .02, .03} })
fixed("grip", b.b, m)
local p = point(m, {1.3, .1, .4})
output("x", p.x) output("y", p.y) output("z", p.z)
simulate{ to = .5 }
"""

    def rest(gravity, up, frame):
        model = write("axes.lua", text.replace("GRAVITY", repr(gravity)).replace("UP", up).replace("FRAME", frame))
        state = json.loads(call("equilibrium", model, "--json"))["state"]
        return [state[k] for k in "xyz"]
    for up, frame in (("up = {0, 1, 1},", "tangent"), ("up = {0, .3, -1},", "chord"), ("", "chord")):
        apart = [math.dist(rest(g, up, frame), rest(g, "", "tangent")) for g in (2., 1.)]
        moved = math.dist(rest(1., "", "tangent"), (1.3, .1, .4))
        assert moved > .02 and apart[1] < 1e-3 * moved, (apart, moved)
        assert 7 < apart[0] / apart[1] < 9, (up, frame, apart)


def test_neglected_accelerations():
    """A beam that falls about its end: without inertia of its modes its weight alone would bend it. Nearly all of that is balanced by its
    acceleration, and a run says so, dense and sparse; not where the modes that are left out follow their loads, nor if drives accelerate it."""
    text = """planar()
gravity{0, -9.81}
local b = elastic("b", { beam = { from = {0, 0}, to = {1, 0}, EI = 14.6, EA = 7e6, mass_per_length = .27 }, modes = 6, damping = .02,
  frame = "tangent", nodes = { a = 0, tip = 1 } QUASI })
revolute("j", ground, b.a, { at = {0, 0} HOW })
output("tip", deflection(b.tip))
simulate{ to = .5, every = .01 }
"""
    tip = {}
    for quasi, how, said in (("", "", False), (", quasistatic = 800", "", False), (", quasistatic = 20", "", True),
                             (", quasistatic = 20", ", motion = -3*time^2", False)):
        for linear in ("dense", "sparse"):
            model = write("fall.lua", text.replace("QUASI", quasi).replace("HOW", how))
            done = subprocess.run([program, "run", model, "--output", "-", "--linear", linear], capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, done.stderr
            assert ("do not feel its accelerations" in done.stderr) == said, (quasi, how, done.stderr)
            assert done.stderr.count("Neglected is a deflection of up to 0.0") == said
            tip[quasi + how] = max(map(abs, table(done.stdout)["tip"]))
    assert abs(tip[", quasistatic = 800"] - tip[""]) < .01 * tip[""], tip
    assert tip[", quasistatic = 20"] > 5 * tip[""], tip


def test_clamps():
    """A cantilever whose modes are sines has 6/pi^2 (1 + 1/4 + 1/9 + 1/16) of P L^3 / 3 EI, and says so; those that fit are silent."""
    text = """planar()
local b = elastic("b", { beam = { from = {0, 0}, to = {2, 0}, EI = 100, EA = 1e6, mass_per_length = 1 }, DAMPING nodes = { a = 0, b = 1 }, HOW })
fixed("wall", ground, b.a)
wrench("pull", ground, b.b, { at = {2, 0}, force = {0, -.03} })
output("sag", deflection(b.b)) output("y", b.b.y)
simulate{ to = .01 }
"""
    for how, said, part in (('modes = 4', "87 %", 6/math.pi**2 * 205/144), ('modes = 4, frame = "tangent"', None, 1),
                            ('modes = 2, interface = true', None, 1)):
        model = write("clamped.lua", text.replace("HOW", how).replace("DAMPING", "damping = .1,"))
        checked, ran = (subprocess.run([program, *c, model], capture_output=True, text=True, timeout=60) for c in (("check",), ("run", "--output", "-")))
        assert (said is None) == ("clamps 'b.a'" not in ran.stderr) and (said or "") in ran.stderr, ran.stderr
        assert "without damping" not in checked.stdout
        y = json.loads(call("equilibrium", model, "--json"))["state"]["y"]
        assert abs(y + .03 * 2**3 / 300 * part) < 1e-3 * 8e-4, (how, y)
    model = write("clamped.lua", text.replace("HOW", "modes = 4").replace("DAMPING", ""))
    assert "without damping" in call("check", model)


def test_smooth_start(model):
    """The tip begins and stays on the motion of a rigid arm with the statics of its loads; without that it vibrates."""
    spin = model.replace("MORE", "START, modes = 3").replace("modes = 3, damping = .02", "damping = 0")
    spin = spin.replace("force(hub.q, u)", "initial{ [hub.qd] = 2 } force(hub.q, u) output('a', arm.qd1)")
    quiet, loud = (run(write(name, spin.replace("START", start)), "--set", "u=7", "--rtol", "1e-10") for name, start in
                   (("quiet.lua", ', start = "quasistatic"'), ("loud.lua", "")))
    assert abs(quiet["tip"][0]) > 1e-3 and quiet["der(arm.q1)"][0] == 0 and loud["tip"][0] == 0
    sparse = run(write("quiet.lua", spin.replace("START", ', start = "quasistatic"')), "--set", "u=7", "--rtol", "1e-10", "--linear", "sparse")
    same(sparse, quiet, 1e-5)
    swing = [max(map(abs, x["der(arm.q2)"])) for x in (quiet, loud)]
    assert swing[0] < .1 * swing[1], swing
    # balanced: nothing accelerates the modes at the start
    early = table(call("run", write("early.lua", spin.replace("START", ', start = "quasistatic"')), "--set", "u=7", "--rtol", "1e-10",
                       "--to", "1e-6", "--every", "1e-6", "--quiet", "--output", "-"))
    late = table(call("run", write("early.lua", spin.replace("START", "")), "--set", "u=7", "--rtol", "1e-10", "--to", "1e-6",
                      "--every", "1e-6", "--quiet", "--output", "-"))
    for q in ("der(arm.q1)", "der(arm.q2)", "der(arm.q3)"):
        assert abs(early[q][-1]) < 1e-3 * abs(late[q][-1]), (q, early[q], late[q])
    test_gradient(write("smooth.lua", spin.replace("START", ', start = "quasistatic"')))
    done = subprocess.run([program, "run", write("held.lua", spin.replace("START", ', start = "quasistatic"') + "initial{ ['arm.q1'] = 0 }\n")],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "leave one of them out" in done.stderr, done
    dense, sparse = (run(write("early.lua", spin.replace("START", ', start = "quasistatic"')), "--set", "u=7", "--rtol", "1e-10", "--linear",
                         linear) for linear in ("dense", "sparse"))
    for q in ("arm.q1", "arm.q2", "arm.q3"):
        assert abs(dense[q][0] - sparse[q][0]) < 1e-9 * abs(dense["arm.q1"][0]), (q, dense[q][0], sparse[q][0])
    # a hinged body has absolute coordinates with sparse matrices, which do not follow the modes that are sought
    bob = 'local bob = body("bob", { mass = .1, com = {1, -.2}, inertia = 1e-3 })\nrevolute("hinge", arm.tip, bob, { at = {1, 0} })\nsimulate'
    hinged = write("hinged.lua", spin.replace("START", ', start = "quasistatic"').replace("simulate", bob))
    done = subprocess.run([program, "run", hinged, "--linear", "sparse"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "with sparse matrices; give --linear dense" in done.stderr, done
    with open(os.path.join(root, "examples", "portal-crane.lua"), encoding="ascii") as file:
        crane = file.read().replace('elastic("portal", {', 'elastic("portal", { start = "quasistatic",')
    done = subprocess.run([program, "run", write("crane.lua", crane)], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and "clamped at two nodes" in done.stderr, done


def main():
    arm, first = write("arm.lua", ARM.replace("MORE", "")), write("first.lua", ARM.replace("MORE", ", first_order = true"))
    fast, space = write("fast.lua", ARM.replace("MORE", ", quasistatic = 300")), write("space.lua", SPACE)
    test_sparse((arm, first, fast, space))
    test_exports(((arm, 2), (fast, 3), (write("small.lua", SPACE.replace("modes = 5", "modes = 2")), 2)))
    test_texts((arm, space))
    for model in (arm, first):
        test_gradient(model)
        test_near_equilibrium(model)
    test_optimize()
    test_sweep(arm)
    test_sid()
    test_doubts()
    test_strips()
    test_axes()
    test_neglected_accelerations()
    test_clamps()
    test_smooth_start(ARM)
    test_inverse()


if __name__ == "__main__":
    main()
