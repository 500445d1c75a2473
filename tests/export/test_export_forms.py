"""The forms of exported C: on the constraints all give the same rates and multipliers, also with velocities that
are off by the same correction; steps of Runge and Kutta reproduce the run of the program, with order 4.
usage: test_export_forms.py PROGRAM SOURCE-FOLDER"""
import csv
import ctypes
import io
import os
import subprocess
import sys
import tempfile

program, root = sys.argv[1:3]
here = os.path.dirname(os.path.abspath(__file__))
folder = tempfile.TemporaryDirectory()
cc = [os.environ.get("CC", "cc"), "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


class Form:
    """One exported model; its functions by their names without the model's."""

    def __init__(self, model, *options):
        self.name = os.path.basename(model)[:-4].replace("-", "_")
        base = os.path.join(folder.name, "f%d" % len(os.listdir(folder.name)))
        subprocess.run([program, "export", model, "--c", "--quiet", "--output", base + ".c", *options], check=True)
        subprocess.run([*cc, "-O1", "-fPIC", "-shared", base + ".c", "-lm", "-o", base + ".so"], check=True)
        with open(base + ".c") as file:
            sizes = dict(line.strip(" ,").split("/*")[0].replace(",", "").split(" = ") for line in file
                         if line.startswith("    %s_" % self.name.upper()) and " = " in line)
        self.size = {k.strip()[len(self.name) + 1:]: int(v) for k, v in sizes.items()}
        self.library = ctypes.CDLL(base + ".so")
        self.par = (ctypes.c_double * max(1, self.size["NPAR"])).in_dll(self.library, self.name + "_par_values")
        self.ny = self.size["NP"] + self.size["NV"] + self.size["NR"]
        # a guard behind the workspace that the header states
        self.work = (ctypes.c_double * (self.size["WORK"] + 8))(*[7.25] * (self.size["WORK"] + 8))

    def start(self):
        x = (ctypes.c_double * self.size["N"]).in_dll(self.library, self.name + "_start")
        p, v, r = (self.size["FIRST_" + k] for k in "PVR")
        return [*x[p:p + self.size["NP"]], *x[v:v + self.size["NV"]], *x[r:r + self.size["NR"]]]

    def call(self, function, count, y, t=0.0):
        out = (ctypes.c_double * count)()
        code = getattr(self.library, self.name + "_" + function)(
            out, ctypes.c_double(t), (ctypes.c_double * self.ny)(*y), self.par, self.work)
        assert self.work[self.size["WORK"]:] == [7.25] * 8, "more workspace than stated"
        return code, list(out)

    def rate(self, y):
        return self.call("rhs", self.ny, y)

    def state(self, y):
        return self.call("state", self.size["N"], y)

    def steps(self, end, count):
        y = (ctypes.c_double * self.ny)(*self.start())
        for k in range(count):
            assert getattr(self.library, self.name + "_step")(y, ctypes.c_double(k * end / count), ctypes.c_double(
                end / count), self.par, self.work) == 0
        assert self.work[self.size["WORK"]:] == [7.25] * 8, "more workspace than stated"
        return list(y)


def difference(a, b):
    return max(abs(x - y) for x, y in zip(a, b)) / max(1e-300, max(map(abs, a)))


def last(model, end):
    text = subprocess.run([program, "run", model, "--quiet", "--to", str(end), "--every", str(end), "--rtol", "1e-11",
                           "--output", "-"], check=True, capture_output=True, text=True).stdout
    rows = list(csv.reader(io.StringIO(text)))
    return dict(zip(rows[0], map(float, rows[-1])))


def refused(model, words, *options):
    found = subprocess.run([program, "export", model, "--c", "--output", os.devnull, *options], capture_output=True,
                           text=True)
    assert found.returncode != 0 and words in found.stderr, found.stderr


crank = os.path.join(root, "examples", "slider-crank.lua")
qr, svd = Form(crank), Form(crank, "--form", "svd")
parts = Form(crank, "--form", "partition", "--independent", "phi")
y = qr.start()
for form in (svd, parts):
    assert difference(qr.rate(y)[1], form.rate(y)[1]) < 1e-12
    assert difference(qr.state(y)[1], form.state(y)[1]) < 1e-12
y[3] += 0.1  # velocities beside the constraints: the shortest way back, or the crank's speed stays
assert difference(qr.state(y)[1], svd.state(y)[1]) < 1e-12
x = parts.state(y)[1]
assert x[parts.size["FIRST_V"]] == y[3]
assert difference(qr.rate(y)[1], parts.rate(y)[1]) > 1e-4

expected = last(crank, 0.5)
names = ["phi", "theta", "x", "der(phi)", "der(theta)", "der(x)"]
explicit, damped = Form(crank, "--form", "explicit"), Form(crank, "--form", "explicit", "--baumgarte-alpha", "20")
for form in (qr, svd, parts, explicit, damped):
    errors = [max(abs(a - expected[n]) for a, n in zip(form.steps(0.5, count), names)) for count in (400, 800, 1600)]
    print("errors of 400, 800, 1600 steps: %.1e %.1e %.1e" % tuple(errors))
    assert errors[0] < 1e-6 and errors[1] < errors[0] / 12 and errors[2] < errors[1] / 12, errors

disk = os.path.join(root, "examples", "rolling-disk.lua")
qr, svd = Form(disk), Form(disk, "--form", "svd")
assert difference(qr.rate(qr.start())[1], svd.rate(svd.start())[1]) < 1e-12

twice = os.path.join(here, "redundant.lua")
qr, svd = Form(twice), Form(twice, "--form", "svd")
assert difference(qr.rate(qr.start())[1], svd.rate(svd.start())[1]) < 1e-12
y = [0.6, -0.8, 0.8, 0.6]
code, x = svd.state(y)  # multipliers: the shortest, proportional to the rows; N = v^2 - g y, W = (2 x, 2 y) times (1, 2)
assert code == 0 and abs(2 * x[0] - x[1]) < 1e-12 and abs(2 * (x[0] + 2 * x[1]) - (1.0 + 0.8 * 9.81)) < 1e-12, x

tilted = os.path.join(root, "tests", "fmu", "tilted.lua")  # a joint allows its misfit of 1e-6
for options in ((), ("--form", "svd")):
    form, straight = Form(tilted, *options), Form(tilted, *options, "--set", "tilt=0")
    found, near = form.rate(form.start())[1], straight.rate(straight.start())[1]
    assert max(map(abs, near)) > 1 and difference(found, near) < 1e-4 * max(map(abs, near)), (found, near)

bricard = os.path.join(root, "examples", "bricard.lua")  # redundant on the constraints alone, which steps leave
whole = last(bricard, 0.5)
for options in ((), ("--form", "svd")):
    form = Form(bricard, *options)
    unknowns = (ctypes.c_char_p * form.size["N"]).in_dll(form.library, "bricard_variable_names")
    moved = dict(zip([n.decode() for n in unknowns[form.size["FIRST_P"]:]], form.steps(0.5, 200)))
    assert max(abs(moved[n] - whole[n]) for n in moved) < 1e-5, (moved, whole)

refused(crank, "needs --independent", "--form", "partition")
refused(crank, "leave 1", "--form", "partition", "--independent", "phi,x")
refused(crank, "belongs to --form partition", "--independent", "phi")


class Blocks(Form):
    """Functions of (t, x[, a])."""

    def block(self, name, count, x, a=None, par=None, t=0.0):
        doubles = lambda values: (ctypes.c_double * max(1, len(values)))(*values)
        out = doubles([0.0] * count)
        getattr(self.library, self.name + "_" + name)(out, ctypes.c_double(t), doubles(x), *([] if a is None else [doubles(a)]),
                                                      doubles(list(par) if par else list(self.par)), self.work)
        assert self.work[self.size["WORK"]:] == [7.25] * 8, "more workspace than stated"
        return list(out)

    def moment(self):
        """A state on the constraints away from the start, and its accelerations."""
        y = self.steps(0.1, 200)
        return y, self.state(y)[1], self.rate(y)[1][self.size["NP"]:self.size["NP"] + self.size["NV"]]


def check_slopes(model):
    """Derivatives by parameters, against differences of the residual: its rows are W a + bias and
    M a - f + W^T (lambda, mu)."""
    it = Blocks(model)
    y, x, a = it.moment()
    n, npar = it.size["NV"], it.size["NPARAM"] + it.size["NINPUT"]
    rows, first = it.size["NL"] + it.size["NM"], it.size["FIRST_V"]
    acc = it.block("slopes_acc", rows * npar, x, a)
    dyn = it.block("slopes_dyn", n * npar, x, a)
    dx = [0.0] * it.size["N"]
    dx[first:first + n] = a

    def residual(k, h):
        par = list(it.par)
        par[k] += h
        out = (ctypes.c_double * len(x))()
        getattr(it.library, it.name + "_residual")(out, ctypes.c_double(0.0), (ctypes.c_double * len(x))(*x),
                                                   (ctypes.c_double * len(x))(*dx), (ctypes.c_double * len(par))(*par), it.work)
        return list(out)

    worst = 0.0
    for k in range(npar):
        h = 1e-4 * max(abs(it.par[k]), 1e-2)
        up, down = residual(k, h), residual(k, -h)
        slope = [(u - d) / (2 * h) for u, d in zip(up, down)]
        size = max(1.0, max(map(abs, slope)))
        worst = max([worst] + [abs(slope[it.size["NW"] + i] - acc[i + k * rows]) / size for i in range(rows)]
                    + [abs(slope[first + i] + dyn[i + k * n]) / size for i in range(n)])
    print("%s: derivatives by %d parameters, differences agree to %.1e" % (it.name, npar, worst))
    assert npar > 0 and worst < 1e-5, worst


def check_frames(model):
    """J v is the velocity; differences of poses and velocities along the motion are velocities and accelerations."""
    it = Blocks(model)
    count = it.size["NFRAME"]
    y, x, a = it.moment()
    v = x[it.size["FIRST_V"]:it.size["FIRST_V"] + it.size["NV"]]
    J = it.block("frame_jacobians", 6 * count * len(v), x)
    speed = it.block("frame_velocities", 6 * count, x)
    acceleration = it.block("frame_accelerations", 6 * count, x, a)
    h, rate = 1e-4, it.rate(y)[1]

    def beside(function, size, s):  # y + s h y' + (s h)^2/2 y''
        later = it.rate([p + h * q for p, q in zip(y, rate)])[1]
        there = [p + s * h * q + (s * h)**2 / 2 * (r - q) / h for p, q, r in zip(y, rate, later)]
        return it.block(function, size, it.state(there)[1])

    poses = [beside("frame_poses", 12 * count, s) for s in (-1, 1)]
    speeds = [beside("frame_velocities", 6 * count, s) for s in (-1, 1)]
    pose = it.block("frame_poses", 12 * count, x)
    size = max(map(abs, speed))
    for f in range(count):
        r = pose[12*f + 3:12*f + 12]
        for i in range(3):
            for j in range(3):  # R^T R = 1
                assert abs(sum(r[3*k + i] * r[3*k + j] for k in range(3)) - (i == j)) < 1e-12
        # R' R^T is the cross product with omega
        dr = [(b - c) / (2 * h) for b, c in zip(poses[1][12*f + 3:12*f + 12], poses[0][12*f + 3:12*f + 12])]
        turn = lambda i, j: sum(dr[3*i + k] * r[3*j + k] for k in range(3))
        found = [(poses[1][12*f + i] - poses[0][12*f + i]) / (2 * h) for i in range(3)] + [turn(2, 1), turn(0, 2), turn(1, 0)]
        for i in range(6):
            assert abs(found[i] - speed[6*f + i]) < 1e-5 * max(1, size), (f, i, found[i], speed[6*f + i])
    for i in range(6 * count):
        assert abs(sum(J[i + 6 * count * k] * v[k] for k in range(len(v))) - speed[i]) < 1e-12 * max(1, size)
        slope = (speeds[1][i] - speeds[0][i]) / (2 * h)
        assert abs(slope - acceleration[i]) < 1e-4 * max(1, max(map(abs, acceleration))), (i, slope, acceleration[i])
    print("%s: %d frames move as their Jacobians say" % (it.name, count))


check_slopes(crank)
check_slopes(disk)
check_frames(os.path.join(root, "examples", "four-bar-bodies.lua"))
check_frames(os.path.join(root, "examples", "bricard.lua"))


def octave():
    """The same forms for Octave, where it is: by ode45, and by ode15i for the residual."""
    import shutil
    if not shutil.which("octave"):
        print("skipped: Octave is not installed")
        return
    forms = (["qr"], ["svd"], ["partition", "--independent", "phi"], ["explicit"],
             ["explicit", "--baumgarte-alpha", "20"], ["implicit", "--baumgarte-alpha", "20", "--baumgarte-beta", "30"])
    lines = ["options = odeset('RelTol', 1e-9, 'AbsTol', 1e-11);"]
    for k, form in enumerate(forms):
        place = os.path.join(folder.name, "octave%d" % k)
        subprocess.run([program, "export", crank, "--octave", "--quiet", "--output", place, "--form", *form], check=True,
                       capture_output=True)
        lines += ["addpath('%s');" % place, "par = slider_crank_parameters(); [y0, x0, t0] = slider_crank_initial();",
                  "[~, xp0] = slider_crank_residual(t0, x0, [], par);",
                  "printf('%.17g\\n', norm(slider_crank_residual(t0, x0, xp0, par)));"]
        if form[0] == "implicit":
            lines += ["[t, x] = ode15i(@(t, x, xp) slider_crank_residual(t, x, xp, par), [0 0.5], x0, xp0, options);",
                      "printf('%.17g ', x(end, [6:8 3:5])); printf('\\n');"]
        else:
            lines += ["[t, y] = ode45(@(t, y) slider_crank_rhs(t, y, par), [0 0.5], y0, options);",
                      "printf('%.17g ', y(end, :)); printf('\\n');"]
        lines += ["rmpath('%s'); clear all; options = odeset('RelTol', 1e-9, 'AbsTol', 1e-11);" % place]
    out = subprocess.run(["octave", "--no-gui", "--quiet", "--no-init-file", "--eval", "\n".join(lines)],
                         capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    rows = [[float(x) for x in line.split()] for line in out.stdout.split("\n") if line.strip()]
    for form, rest, end in zip(forms, rows[::2], rows[1::2]):
        error = max(abs(a - expected[n]) for a, n in zip(end, names))
        print("Octave, %-40s %.1e" % (" ".join(form), error))
        assert rest[0] < 1e-10 and error < (5e-6 if form[0] == "implicit" else 1e-6), (form, rest, error)


octave()
