"""Exported models in FMPy, the reference reader of FMUs, where it is at hand (../shared/tools): it finds no
fault in any of them; co-simulation of both versions gives the rows of the program; model exchange, integrated
by SciPy's DOP853 with projections and events, gives the same motion on the constraints.
usage: test_fmpy.py PROGRAM SOURCE-FOLDER"""
import csv
import io
import os
import subprocess
import sys
import tempfile

program, root = sys.argv[1:3]
sys.path.insert(0, os.path.join(root, "..", "shared", "tools", "fmpy", "src"))
try:
    import lark  # which FMPy's validation needs
    import numpy as np
    from fmpy import extract, read_model_description, simulate_fmu
    from fmpy.fmi2 import FMU2Model
    from fmpy.fmi3 import FMU3Model
    from fmpy.validation import validate_fmu
    from scipy.integrate import solve_ivp
except ImportError as reason:
    print("skipped:", reason)
    sys.exit(77)

here = os.path.dirname(os.path.abspath(__file__))
folder = tempfile.TemporaryDirectory()
RTOL = 1e-8


def export(model, version, kind, *options):
    path = os.path.join(folder.name, "it.fmu")
    subprocess.run([program, "export", model, "--quiet", "--fmu", str(version), "--kind", kind, "--rtol",
                    str(RTOL), "--output", path, *options], check=True)
    problems = validate_fmu(path)
    assert problems == [], (model, version, kind, problems)
    return path


def run(model, end):
    text = subprocess.run([program, "run", model, "--quiet", "--to", str(end), "--every", str(end / 10),
                           "--rtol", str(RTOL / 100), "--output", "-"], check=True,
                          capture_output=True, text=True).stdout
    rows = list(csv.reader(io.StringIO(text)))
    numbers = np.array(rows[1:], dtype=float)
    times = list(numbers[:, 0])  # an instant at which something jumps has two rows
    return rows[0], numbers[[times.count(t) == 1 for t in times]]


def plain(name):
    return name.replace("'", "")


def check_cosimulation(model, version, kind, end):
    path = export(model, version, kind)
    names, rows = run(model, end)
    description = read_model_description(path)
    variables = [v.name for v in description.modelVariables if v.causality in ("output", "local")]
    result = simulate_fmu(path, stop_time=end, output_interval=end / 10, fmi_type="CoSimulation",
                          output=variables, relative_tolerance=RTOL)
    worst = 0.0
    for name in variables:
        if plain(name) not in names:
            continue
        column = rows[:, names.index(plain(name))]
        size = max(np.max(np.abs(column)), 1e-3)
        worst = max(worst, np.max(np.abs(result[name] - column)) / size)
    print("%-16s FMI %d co-simulation %8.1e" % (os.path.basename(model), version, worst))
    assert worst < 10 * RTOL


class Exchange:
    """A model of either version, seen alike."""

    def __init__(self, path, version):
        self.description = read_model_description(path)
        arguments = {"guid": self.description.guid, "unzipDirectory": extract(path, folder.name + "/x"),
                     "modelIdentifier": self.description.modelExchange.modelIdentifier,
                     "instanceName": "it"}
        self.two = version == 2
        self.fmu = FMU2Model(**arguments) if self.two else FMU3Model(**arguments)
        self.fmu.instantiate()
        if self.two:
            self.fmu.setupExperiment(startTime=0.0)
            self.fmu.enterInitializationMode()
        else:
            self.fmu.enterInitializationMode(startTime=0.0)
        self.fmu.exitInitializationMode()
        self.n = self.description.numberOfContinuousStates
        self.x = (np.zeros(self.n), np.zeros(self.n))
        self.z = np.zeros(self.description.numberOfEventIndicators)
        self.update()

    def pointer(self, array):
        import ctypes
        return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))

    def update(self):
        info = self.fmu.newDiscreteStates() if self.two else self.fmu.updateDiscreteStates()
        assert not info[0]  # it iterates itself
        self.next = info[5] if info[4] else np.inf
        self.fmu.enterContinuousTimeMode()
        return info[1]

    def states(self):
        x = np.zeros(self.n)
        self.fmu.getContinuousStates(self.pointer(x), self.n)
        return x

    def at(self, t, x):
        self.fmu.setTime(t)
        self.given = np.array(x)
        self.fmu.setContinuousStates(self.pointer(self.given), self.n)

    def rate(self, t, x):
        out = np.zeros(self.n)
        self.at(t, x)
        if self.two:
            self.fmu.getDerivatives(self.pointer(out), self.n)
        else:
            self.fmu.getContinuousStateDerivatives(self.pointer(out), self.n)
        return out

    def indicators(self, t, x):
        self.at(t, x)
        z = np.zeros(len(self.z))
        if len(z):
            self.fmu.getEventIndicators(self.pointer(z), len(z))
        return z

    def get(self, name):
        v = [v for v in self.description.modelVariables if v.name == name][0]
        return (self.fmu.getReal if self.two else self.fmu.getFloat64)([v.valueReference])[0]


def lead(it, t, x, end, step):
    """From (t, x) to `end`, or just beyond the first zero of an indicator."""
    z = it.indicators(t, x)
    events = []
    for k in range(len(z)):
        def crossing(s, y, k=k, offset=z[k]):
            value = it.indicators(s, y)[k]
            return value if abs(offset) > 1e-9 or abs(value) > 1e-9 else 1e-9
        crossing.terminal = True
        events.append(crossing)
    found = solve_ivp(it.rate, (t, end), x, method="DOP853", rtol=1e-9, atol=1e-11,
                      events=events or None, max_step=step)
    assert found.success, found.message
    t, x = found.t[-1], found.y[:, -1]
    if found.status == 1:  # beyond the border
        s = 1e-10
        return t + s, x + s * it.rate(t, x), True
    return t, x, t == it.next


def check_exchange(model, version, end, kind="both"):
    """Steps of DOP853, one call of solve_ivp each, with events located by it."""
    it = Exchange(export(model, version, kind), version)
    names, rows = run(model, end)
    x, worst, events = it.states(), 0.0, 0
    for before, row in zip(rows, rows[1:]):
        t = before[0]
        while t < row[0]:
            t, x, met = lead(it, t, x, min(row[0], it.next), end / 50)
            it.at(t, x)
            wanted, stop = it.fmu.completedIntegratorStep()[:2]
            if wanted or met:
                events += 1
                it.fmu.enterEventMode()
                it.update()
                x = it.states()
        it.at(t, x)
        for k, name in enumerate(names[1:], 1):
            for v in it.description.modelVariables:
                if plain(v.name) == name:
                    size = max(np.max(np.abs(rows[:, k])), 1e-3)
                    worst = max(worst, abs(it.get(v.name) - row[k]) / size)
    print("%-16s FMI %d model exchange %8.1e, %d events" % (os.path.basename(model), version, worst,
                                                            events))
    assert worst < 1e-6
    assert len(it.z) or events == 0  # DOP853 stays within 10 rtol of the constraints
    it.fmu.freeInstance()


def check_projection(version):
    """States that have left the constraints are noticed after a step, and moved back."""
    model = os.path.join(root, "examples", "slider-crank.lua")
    it = Exchange(export(model, version, "me", "--projection-tolerance", "1e-9"), version)
    names = [v.name for v in it.description.modelVariables]
    states = [d.variable.derivative.name for d in it.description.derivatives]
    x = it.states()
    p = [states.index(n) for n in ("phi", "theta", "x")]
    it.at(0.0, x)
    assert not it.fmu.completedIntegratorStep()[0]
    x[p[0]] += 1e-6
    it.at(0.0, x)
    assert it.fmu.completedIntegratorStep()[0]
    it.fmu.enterEventMode()
    it.update()
    phi, theta, slider = it.states()[p]
    g = (0.15*np.cos(phi) + 0.3*np.cos(theta) - slider, 0.15*np.sin(phi) + 0.3*np.sin(theta))
    assert np.max(np.abs(g)) < 1e-12, g
    assert "energy" in names and abs(phi - x[p[0]]) < 2e-6
    it.fmu.freeInstance()


def extrapolated(value, h):
    """The derivative of value(s) at 0 by central differences of three widths."""
    a, b, c = [(value(h / k) - value(-h / k)) / (2 * h / k) for k in (1, 2, 4)]
    return (16 * (4 * c - b) / 3 - (4 * b - a) / 3) / 15


def compare_derivatives(it, known, refs, value, start):
    """By one variable, with differences whose error is far below 1e-6."""
    h = 2e-3 * max(abs(start), 0.1)
    expected, now = extrapolated(value, h), value(0.0)
    found = np.array(it.getDirectionalDerivative(refs, [known], [1.0]))
    size = np.abs(expected) + 1e-3 * np.max(np.abs(expected)) + 1e-8 / h * np.max(np.abs(now))  # rounding
    assert np.all(np.abs(found - expected) < 1e-6 * size), (known, found, expected)
    doubled = it.getDirectionalDerivative(refs, [known, known], [1.5, 0.5])
    assert np.max(np.abs(np.array(doubled) - 2 * found)) <= 1e-7 * np.max(np.abs(found))
    return np.max(np.abs(found - expected) / size)


def check_directional(model, version):
    """Derivatives of outputs, unknowns, rates and indicators by states, inputs, parameters and time,
    near the constraints, not on them."""
    it = Exchange(export(model, version, "me"), version)
    variables = {v.name: v for v in it.description.modelVariables}
    states = [d.variable.derivative.name for d in it.description.derivatives]
    unknowns = [v for v in variables.values() if v.causality in ("output", "local")]
    refs = [v.valueReference for v in unknowns]
    get, put = (it.fmu.getReal, it.fmu.setReal) if it.two else (it.fmu.getFloat64, it.fmu.setFloat64)
    x = it.states()
    for k in range(10):  # on the way
        middle = x + 1e-3 * it.rate(2e-3 * k, x)
        x = x + 2e-3 * it.rate(2e-3 * k + 1e-3, middle)
    t, x = 0.02, x + 1e-5 * np.cos(np.arange(it.n))
    it.at(t, x)
    worst = 0.0
    for name in states + [v.name for v in variables.values() if v.causality in ("input", "parameter")] + ["time"]:
        reference = variables[name].valueReference
        start = get([reference])[0]

        def value(s):
            moved = np.array(x)
            if name in states:
                moved[states.index(name)] += s
            it.at(t + s if name == "time" else t, moved)
            if name not in states and name != "time":
                put([reference], [start + s])
            return np.array(get(refs))

        it.at(t, x)
        worst = max(worst, compare_derivatives(it.fmu, reference, refs, value, start))
    print("%-16s FMI %d derivatives    %8.1e" % (os.path.basename(model), version, worst))
    it.fmu.freeInstance()


def check_feedthrough(version):
    """Co-simulation: of outputs and derivatives by an input, at a communication point; the run goes on as if nobody
    had asked."""
    from fmpy.fmi2 import FMU2Slave
    from fmpy.fmi3 import FMU3Slave
    path = export(os.path.join(here, "cart.lua"), version, "cs")
    description = read_model_description(path)
    reference = {v.name: v.valueReference for v in description.modelVariables}
    unknown = [v.valueReference for v in description.modelVariables if v.causality in ("output", "local")]
    known, = [v.valueReference for v in description.modelVariables if v.causality == "input"]
    ends = []
    for asked in (False, True):
        it = (FMU2Slave if version == 2 else FMU3Slave)(
            guid=description.guid, unzipDirectory=extract(path, folder.name + "/through"),
            modelIdentifier=description.coSimulation.modelIdentifier, instanceName="it")
        it.instantiate()
        if version == 2:
            it.setupExperiment(startTime=0.0)
        it.enterInitializationMode()
        it.exitInitializationMode()
        get, put = (it.getReal, it.setReal) if version == 2 else (it.getFloat64, it.setFloat64)
        put([known], [0.7])
        it.doStep(0.0, 0.3)
        if asked:
            def value(s):
                put([known], [0.7 + s])
                return np.array(get(unknown))
            compare_derivatives(it, known, unknown, value, 0.7)
            assert it.getDirectionalDerivative([reference["der(x,2)"]], [known], [1.0])[0] > 0
        it.doStep(0.3, 0.3)
        ends.append(get(unknown))
        it.freeInstance()
    assert np.max(np.abs(np.array(ends[0]) - ends[1])) < 10 * RTOL * np.max(np.abs(ends[0]))


def check_schema(version):
    """xmllint with the schemas of the standard."""
    import shutil
    if not shutil.which("xmllint"):
        print("skipped: xmllint is not installed")
        return
    place = extract(export(os.path.join(root, "examples", "ball.lua"), version, "both", "--sources"), folder.name + "/xml")
    schemas = os.path.join(root, "..", "shared", "tools", "fmpy", "src", "fmpy", "schema", "fmi%d" % version)
    files = {"fmi%dModelDescription.xsd" % version: "modelDescription.xml"}
    if version == 3:
        files["fmi3BuildDescription.xsd"] = "sources/buildDescription.xml"
    for schema, file in files.items():
        subprocess.run(["xmllint", "--noout", "--schema", os.path.join(schemas, schema), os.path.join(place, file)],
                       check=True, capture_output=True)


def check_units():
    """Units in terms of SI, and the names of the model as resources."""
    import json
    import zipfile
    path = export(os.path.join(here, "units.lua"), 2, "cs")
    units = {u.name: u.baseUnit for u in read_model_description(path).unitDefinitions}
    base = units["N s/m"]
    assert (base.kg, base.m, base.s, base.factor) == (1, 0, -1, 1.0)
    base = units["kN*mm/deg^2"]
    assert (base.kg, base.m, base.s, base.rad) == (1, 2, -2, -2)
    assert abs(base.factor - (180 / np.pi)**2) < 1e-9
    assert units["parsec"] is None and units["N/m s"] is None
    with zipfile.ZipFile(path) as archive:
        names = json.loads(archive.read("resources/model.json"))
    assert names["parameters"][0] == {"name": "d", "unit": "N s/m"}
    assert [v["name"] for v in names["unknowns"]] == ["der(x)", "x"]


def check_early_return():
    """FMI 3.0: variables are read after every step of the solver, and the caller ends the step early."""
    from fmpy.fmi3 import FMU3Slave
    path = export(os.path.join(root, "examples", "slider-crank.lua"), 3, "cs")
    description = read_model_description(path)
    by_name = {v.name: v.valueReference for v in description.modelVariables}
    fmu = FMU3Slave(guid=description.guid, unzipDirectory=extract(path, folder.name + "/early"),
                    modelIdentifier=description.coSimulation.modelIdentifier, instanceName="it")
    seen = []

    def update(environment, t, set_requested, get_allowed, finished, may_return, wanted, when):
        assert get_allowed and finished and may_return
        phi, theta, x = fmu.getFloat64([by_name[n] for n in ("phi", "theta", "x")])
        g = max(abs(0.15*np.cos(phi) + 0.3*np.cos(theta) - x), abs(0.15*np.sin(phi) + 0.3*np.sin(theta)))
        seen.append((t, phi, g))
        if t > 0.2:
            wanted[0] = True
            when[0] = t

    fmu.instantiate(earlyReturnAllowed=True, intermediateUpdate=update)
    fmu.enterInitializationMode(startTime=0.0)
    fmu.exitInitializationMode()
    result = fmu.doStep(0.0, 1.0)
    early, last = result[2], result[3]
    assert early and 0.2 < last < 1 and last == seen[-1][0] and len(seen) > 3
    assert all(a[0] < b[0] for a, b in zip(seen, seen[1:])) \
        and max(s[2] for s in seen) < 1e-3 * RTOL  # what Newton's iteration may leave
    assert fmu.getFloat64([by_name["phi"], by_name["time"]]) == [seen[-1][1], last]
    fmu.freeInstance()
    print("early return at %.4f s, %d steps of the solver" % (last, len(seen)))


def check_declarations(version):
    """Our functions have the declarations of the standard's headers, and the library shows all of them."""
    import re
    headers = os.path.join(root, "..", "shared", "tools", "fmpy", "src", "fmpy", "c-code")
    for source in ["fmi2"] if version == 2 else ["fmi3", "fmi3_rest"]:
        subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-fsyntax-only", "-Wall", "-Werror",
                        "-DDFL_FMI%d_H" % version, "-DFMI3=", "-I", headers, "-include",
                        "fmi%dFunctions.h" % version, "-I", root + "/src", "-I", root + "/include",
                        os.path.join(root, "src", "fmu", source + ".c")], check=True)
    with open(os.path.join(headers, "fmi%dFunctions.h" % version)) as file:
        wanted = set(re.findall(r"FMI\d_Export +\w+ +(fmi\d\w+);", file.read()))
    path = extract(export(os.path.join(here, "cart.lua"), version, "both"), folder.name + "/names")
    library = os.path.join(path, "binaries", "linux64" if version == 2 else "x86_64-linux", "cart.so")
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True,
                           text=True).stdout.split("\n")
    assert {line.split()[-1] for line in lines if line} == wanted


for name, end in [("slider-crank", 1.0), ("four-bar", 1.0), ("rolling-disk", 1.0), ("massless-node", 0.5),
                  ("cam-follower", 0.3), ("maxwell", 1.0), ("friction", 0.3), ("woodpecker", 0.3), ("ball", 2.0),
                  ("backlash", 0.5), ("bricard", 1.0)]:
    for version in (2, 3):
        model = os.path.join(root, "examples", name + ".lua")
        check_cosimulation(model, version, "both", end)
        check_exchange(model, version, end)
check_units()
check_early_return()
for version in (2, 3):
    check_schema(version)
    check_declarations(version)
    check_projection(version)
    for model in ("examples/slider-crank", "examples/rolling-disk", "examples/four-bar", "tests/export/redundant",
                  "tests/fmu/stops", "examples/maxwell", "examples/cam-follower", "examples/massless-node"):
        check_directional(os.path.join(root, model + ".lua"), version)
    check_feedthrough(version)
    check_cosimulation(os.path.join(here, "stops.lua"), version, "both", 3.0)
    check_exchange(os.path.join(here, "stops.lua"), version, 3.0, "me")
    check_cosimulation(os.path.join(here, "sampled.lua"), version, "cs", 2.0)
    check_exchange(os.path.join(here, "sampled.lua"), version, 1.97, "me")
