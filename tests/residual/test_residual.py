"""The explicit form of exported C agrees with the QR form on the constraints, and does not project velocities. The residual F(t, y, y') of exported C, integrated by IDA (Debian: libsundials-dev), gives the motion of the
program: with auxiliary, dynamic and contact variables, massless directions, nonholonomic constraints.
usage: test_residual.py PROGRAM SOURCE-FOLDER"""
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
cc = os.environ.get("CC", "cc").split()
LIBRARIES = ["-lsundials_ida", "-lsundials_nvecserial", "-lsundials_sunlinsoldense",
             "-lsundials_sunmatrixdense", "-lm"]
# model, end in s, options: index 1 leaves the constraints by the error of the code
MODELS = [("slider-crank", 0.5, []),
          ("slider-crank", 0.5, ["--form", "implicit", "--baumgarte-alpha", "5"]),
          ("massless-node", 0.5, []), ("friction", 0.2, []), ("cam-follower", 0.1, []),
          ("maxwell", 0.5, []), ("rolling-disk", 0.3, []), ("bare", 1.0, [])]



def rhs(*options):
    """y' of the slider-crank at its start, whose crank turns by `more` than its rod allows."""
    source = os.path.join(folder.name, "form.c")
    subprocess.run([program, "export", os.path.join(root, "examples", "slider-crank.lua"), "--c",
                    "--quiet", "--output", source, *options], check=True)
    path = os.path.join(folder.name, "form%d.so" % len(os.listdir(folder.name)))
    subprocess.run([*cc, "-O1", "-fPIC", "-shared", source, "-lm", "-o", path], check=True)
    library = ctypes.CDLL(path)
    start = list((ctypes.c_double * 8).in_dll(library, "slider_crank_start"))

    def rate(more):
        y = (ctypes.c_double * 6)(*(start[5:] + start[2:5]))
        y[3] += more
        out, work = (ctypes.c_double * 6)(), (ctypes.c_double * 4000)()
        par = (ctypes.c_double * 6).in_dll(library, "slider_crank_par_values")
        assert library.slider_crank_rhs(out, ctypes.c_double(0), y, par, work) == 0
        return list(y), list(out)
    return rate


def difference(a, b):
    return max(abs(x - y) for x, y in zip(a, b)) / max(map(abs, a))


qr, explicit = rhs(), rhs("--form", "explicit")
stable = rhs("--form", "explicit", "--baumgarte-alpha", "20")
assert difference(qr(0)[1], explicit(0)[1]) < 1e-12
assert difference(qr(0)[1], stable(0)[1]) < 1e-12
y, rate = explicit(0.1)
assert rate[:3] == y[3:]  # p' = v as it is
assert difference(qr(0.1)[1][:3], y[3:]) > 1e-3  # ... or moved onto the constraints
# g'' = -2 alpha g' - beta^2 g: the crank's pin leaves the rod at 0.15 * 0.1 m/s, to the left
gI = [-0.15 * 0.1, 0.0]
W = [[-0.15, 0.0], [0.3 * 0.5, 0.3 * 0.75 ** 0.5], [-1.0, 0.0]]  # columns: phi, theta, x; theta = -30 degrees
jump = [a - b for a, b in zip(stable(0.1)[1][3:], rate[3:])]
for row in range(2):
    assert abs(sum(W[j][row] * jump[j] for j in range(3)) + 40 * gI[row]) < 1e-9

probe = os.path.join(folder.name, "probe.c")
with open(probe, "w") as file:
    file.write("#include <ida/ida.h>\n#include <sundials/sundials_context.h>\nint main(void){return 0;}\n")
if subprocess.run([*cc, probe, *LIBRARIES, "-o", probe + ".x"], capture_output=True).returncode:
    print("skipped: there is no IDA (libsundials-dev)")
    sys.exit(77)

for name, end, options in MODELS:
    model = os.path.join(here if name == "bare" else os.path.join(root, "examples"), name + ".lua")
    identifier = name.replace("-", "_")
    source = os.path.join(folder.name, identifier + ".c")
    subprocess.run([program, "export", model, "--c", "--quiet", "--output", source, *options], check=True)
    subprocess.run([*cc, "-O1", "-DMODEL=" + identifier, "-DUPPER=" + identifier.upper(),
                    '-DSOURCE="%s"' % source, os.path.join(here, "ida.c"), *LIBRARIES, "-o",
                    source + ".x"], check=True)
    found = subprocess.run([source + ".x", str(end)], capture_output=True, text=True)
    assert found.returncode == 0, (name, found.returncode, found.stderr)
    state = {n: float(x) for n, x in csv.reader(io.StringIO(found.stdout))}
    text = subprocess.run([program, "run", model, "--quiet", "--to", str(end), "--every", str(end),
                           "--rtol", "1e-10", "--output", "-"], check=True, capture_output=True,
                          text=True).stdout
    rows = list(csv.reader(io.StringIO(text)))
    expected = dict(zip(rows[0], map(float, rows[-1])))
    worst = max(abs(state[n] - expected[n]) / max(1, abs(expected[n])) for n in state)
    print("%-16s %8.1e" % (name, worst))
    assert worst < 1e-5, (name, worst)
