"""Random mechanisms, run in random ways: whatever says "completed" must be right.

usage: random_mechanisms.py PROGRAM FIRST COUNT [WAYS]

Each seed is a mechanism: trees of bodies in plane and space, loops that are redundant in space, points with bars
and doubled bars, a knife edge, massless links; in m and s, mm and s, mm and ms, or um and ms. Runs with other
tolerances, forms, methods, matrices, evaluations and rows are compared with a run at rtol 1e-11, and that one with
another form and method. A run may be refused or fail, with a message. One that is completed must miss the reference by
amplification * rtol * max(100, steps) at most: each step may err by rtol, and what a motion does to errors is measured
by a run with initial values, masses' weights and stiffnesses that differ by 1e-6. So must a run that is saved half-way
and goes on, and one that goes back to the start. Methods of low order in the form eom (index 3) have to warn instead.
REASONS=FILE lists refusals and failures there.
"""
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
FACTOR = 100  # rtol
DISTURBANCE = 1e-6
MOST = 1e4  # amplification beyond which nothing is compared
REASONS = []
FORMS = ["psf", "psi1", "eom2", "eom1", "ggl", "odae", "ext316", "ext317", "pinv", "tangent", "partition", "explicit", "implicit", "qr",
         "svd", "separation", "ssf", "uode", "eom", "baumgarte"]
METHODS = ["radau", "radau5", "radau9", "radau13", "bdf", "trapezoidal", "midpoint", "half-explicit", "explicit-pair", "extrapolation"]


class Model:
    """Lines of a script; lengths, times are given in m and s and written in the model's units."""

    def __init__(self, rng):
        self.rng = rng
        self.length, self.time = rng.choice([(1, 1), (1, 1), (1e3, 1), (1e3, 1e3), (1e6, 1e3)])
        self.lines = []

    def add(self, line):
        self.lines.append(line)

    def u(self, low=-1.0, high=1.0):
        return self.rng.uniform(low, high)

    def vec(self, v, length=1, time=0):
        return "{" + ", ".join(repr(x * self.length**length * self.time**time) for x in v) + "}"

    def num(self, x, length=0, time=0):
        return repr(x * self.length**length * self.time**time)

    def gravity(self, size):
        g = [0, -9.81, 0][:size]
        if self.rng.random() < 0.5 and size == 3:
            g = [self.u(-5, 5) for _ in range(3)]
        self.add(f"gravity{self.vec(g, 1, -2)}")

    def damping(self, length=0):
        if self.rng.random() < 0.3:
            return f", damping = {self.num(self.u(0.01, 0.5), length, -1)}"
        return ""

    def end(self):
        self.to = self.u(0.3, 2.0) * self.time
        self.add(f"simulate{{ to = {self.to!r} }}")
        return "\n".join(self.lines) + "\n"


def direction(rng, size):
    while True:
        v = [rng.gauss(0, 1) for _ in range(size)]
        n = math.sqrt(sum(x * x for x in v))
        if n > 0.3:
            return [x / n for x in v]


def body(m, name, com, size, massless=False):
    if massless:
        m.add(f'local {name} = body("{name}", {{ mass = 0, com = {m.vec(com)} }})')
        return
    inertia = m.num(m.u(0.05, 0.4), 2)
    if size == 3:
        a = [m.u(0.1, 0.2) for _ in range(3)]
        inertia = "{" + ", ".join(m.num(x, 2) for x in a) + "}"
    m.add(f'local {name} = body("{name}", {{ mass = {m.u(0.3, 3)!r}, com = {m.vec(com)}, inertia = {inertia} }})')


def springs(m, names, places, size):
    for k in range(m.rng.randint(0, 2)):
        i = m.rng.randrange(len(names))
        to = [x + m.u() for x in places[i]]
        fro = [x + m.u(1, 2) for x in places[i]]
        m.add(f'spring("s{k}", ground, {names[i]}, {{ from = {m.vec(fro)}, to = {m.vec(to)}, '
              f'stiffness = {m.num(m.u(1, 300), 0, -2)}, length = {m.num(m.u(0.1, 1), 1)}{m.damping()} }})')


def tree(m):
    size = m.rng.choice([2, 3])
    if size == 2:
        m.add("planar()")
    m.gravity(size)
    names, places, starts = [], [], []
    kinds = ["revolute", "revolute", "prismatic"] + (["universal", "spherical", "cylindrical", "screw"] if size == 3 else ["free"])
    for k in range(m.rng.randint(1, 5)):
        parent = m.rng.choice(["ground"] + names)
        at = [0.0] * size if parent == "ground" else [x + m.u(-0.5, 0.5) for x in places[names.index(parent)]]
        com = [x + m.u(0.2, 0.8) * m.rng.choice([-1, 1]) for x in at]
        body(m, f"b{k}", com, size)
        kind = m.rng.choice(kinds)
        options = f"at = {m.vec(at)}"
        if size == 3 or kind == "prismatic":
            axis = direction(m.rng, size)
            if kind != "spherical" and kind != "free":
                options += ", axis = {" + ", ".join(map(repr, axis)) + "}"
            if kind == "universal":
                other = direction(m.rng, 3)
                d = sum(a * b for a, b in zip(axis, other))
                other = [b - d * a for a, b in zip(axis, other)]
                if sum(x * x for x in other) < 0.05:
                    kind = "revolute"
                else:
                    options += ", axis2 = {" + ", ".join(map(repr, other)) + "}"
            if kind == "screw":
                options += f", lead = {m.num(m.u(0.1, 0.5), 1)}"
        m.add(f'local j{k} = {kind}("j{k}", {parent}, b{k}, {{ {options} }})')
        if kind in ("revolute", "prismatic", "screw"):
            turning = kind != "prismatic"
            starts.append(f"[j{k}.qd] = {m.num(m.u(-3, 3), 0 if turning else 1, -1)}")
            if m.rng.random() < 0.4 or kind == "prismatic":
                m.add(f'torsion("t{k}", j{k}, {{ stiffness = {m.num(m.u(5, 60), 2 if turning else 0, -2)} }})')
        names.append(f"b{k}")
        places.append(com)
    springs(m, names, places, size)
    if starts:
        m.add("initial{ " + ", ".join(starts) + " }")


def loop(m):
    """A plane loop of 4 to 6 bars; in space in an oblique plane, with redundant rows."""
    size = m.rng.choice([2, 3])
    if size == 2:
        m.add("planar()")
    m.gravity(size)
    count = m.rng.randint(4, 6)
    corners = []
    for i in range(count):
        angle = 2 * math.pi * i / count + m.u(-0.3, 0.3)
        r = m.u(0.6, 1.2)
        corners.append([r * math.cos(angle), r * math.sin(angle)])
    if size == 3:
        n = direction(m.rng, 3) if m.rng.random() < 0.5 else [0, 0, 1]
        e = direction(m.rng, 3)
        d = sum(a * b for a, b in zip(n, e))
        e = [b - d * a for a, b in zip(n, e)]
        ne = math.sqrt(sum(x * x for x in e))
        e = [x / ne for x in e]
        f = [n[1] * e[2] - n[2] * e[1], n[2] * e[0] - n[0] * e[2], n[0] * e[1] - n[1] * e[0]]
        corners = [[c[0] * e[i] + c[1] * f[i] for i in range(3)] for c in corners]
        axis = ", axis = {" + ", ".join(map(repr, n)) + "}"
    else:
        axis = ""
    names, places = [], []
    light = m.rng.randrange(1, count - 1) if m.rng.random() < 0.2 and count == 4 else -1
    for k in range(count - 1):
        com = [(a + b) / 2 for a, b in zip(corners[k], corners[k + 1])]
        body(m, f"b{k}", com, size, k == light)
        names.append(f"b{k}")
        places.append(com)
    for k in range(count):
        a = "ground" if k == 0 else f"b{k - 1}"
        b = "ground" if k == count - 1 else f"b{k}"
        m.add(f'local j{k} = revolute("j{k}", {a}, {b}, {{ at = {m.vec(corners[k])}{axis} }})')
    m.add(f"initial{{ [j0.qd] = {m.num(m.u(-4, 4), 0, -1)} }}")
    heavy = [i for i in range(len(names)) if i != light]
    springs(m, [names[i] for i in heavy], [places[i] for i in heavy], size)


def bars(m):
    """Points of mass with bars between them, some of them twice."""
    size, count = m.rng.choice([2, 3]), m.rng.randint(1, 4)
    axes = "xyz"[:size]
    L, T = m.length, m.time
    points = [[0.0] * size]
    held, rows = [], []
    for k in range(1, count + 1):
        p = [x + y * m.u(0.5, 1.2) for x, y in zip(points[-1], direction(m.rng, size))]
        points.append(p)
        names = [f"{a}{k}" for a in axes]
        m.add(f"local {', '.join(names)} = position({', '.join(chr(34) + n + chr(34) for n in names)})")
        mass = m.u(0.3, 3)
        m.add("kinetic(" + " + ".join(f"{mass!r}/2*velocity({n})^2" for n in names) + ")")
        m.add(f"potential({mass * 9.81 * L / T**2!r}*{names[1]})")
        before = [f"{a}{k - 1}" if k > 1 else "0" for a in axes]
        square = " + ".join(f"({n} - {b})^2" for n, b in zip(names, before))
        long = sum((a - b)**2 for a, b in zip(points[k], points[k - 1]))
        row = f"({square})/{L * L!r} - {long!r}"
        m.add(f'constraint("bar{k}", {row})')
        rows.append(row)
        held += [f"{n} = {x * L!r}" for n, x in zip(names, p)]
        if m.rng.random() < 0.5:
            m.add(f"potential({m.u(1, 40) / T**2!r}/2*({names[0]} - {m.u() * L!r})^2)")
    if m.rng.random() < 0.4:
        m.add(f'constraint("again", {m.u(0.5, 2)!r}*({m.rng.choice(rows)}) + {m.u(0.5, 2)!r}*({m.rng.choice(rows)}))')
    m.add("guess{ " + ", ".join(held) + " }")
    m.add(f'initial{{ ["der(x{count})"] = {m.u(-2, 2) * L / T!r} }}')


def rolling(m):
    m.add("planar()")
    body(m, "b0", [m.u(0.1, 0.5), 0.0], 2)
    m.add(f'local f = free("f", ground, b0, {{ at = {m.vec([0.0, 0.0])} }})')
    m.add(f'knife_edge("edge", b0, {{ at = {m.vec([0.0, 0.0])}, direction = {{1, 0}} }})')
    springs(m, ["b0"], [[0.3, 0.0]], 2)
    m.add(f'initial{{ ["der(f.q1)"] = {m.num(m.u(0.5, 2), 1, -1)}, ["der(f.q3)"] = {m.num(m.u(-2, 2), 0, -1)} }}')


def massless(m):
    """A chain in which some links have no mass, on springs."""
    m.add("planar()")
    m.gravity(2)
    before = "ground"
    count = m.rng.randint(2, 4)
    for k in range(count):
        light = m.rng.random() < 0.4 and k < count - 1 and not (k > 0 and "mass = 0" in m.lines[-3])
        body(m, f"b{k}", [k + 0.5, 0.0], 2, light)
        m.add(f'local j{k} = revolute("j{k}", {before}, b{k}, {{ at = {m.vec([float(k), 0.0])} }})')
        m.add(f'torsion("t{k}", j{k}, {{ stiffness = {m.num(m.u(5, 60), 2, -2)}{m.damping(2)} }})')
        before = f"b{k}"


FAMILIES = [tree, tree, loop, loop, bars, rolling, massless]


def make(seed):
    m = Model(random.Random(seed))
    m.rng.choice(FAMILIES)(m)
    m.script = m.end()
    return m


ALONE = {"half-explicit", "extrapolation"}  # methods that go with psf alone
EXPLICIT = {"psf", "uode", "explicit", "baumgarte", "qr", "svd", "separation", "partition", "tangent", "implicit"}
SLOW = {"trapezoidal", "midpoint", "bdf"}


def ways(rng):
    """Random options of a run."""
    form = rng.choice(FORMS) if rng.random() < 0.6 else "psf"
    method = rng.choice(METHODS) if rng.random() < 0.6 else "radau"
    if method in ALONE or (method == "explicit-pair" and form not in EXPLICIT):
        form = "psf"
    words = ["--form", form, "--method", method]
    implicit = method not in ALONE and method != "explicit-pair"
    for option, values, share in (("--linear", ["dense", "sparse"] if form == "psf" and implicit else ["dense"], 0.3),
                                  ("--evaluation", ["tape", "recursion"], 0.3),
                                  ("--selectors", ["orthogonal", "unit"], 0.2), ("--algebraic", ["lu", "qr", "svd"], 0.2),
                                  ("--renewal", ["on-change", "always"], 0.15), ("--control", ["predictive", "classical"], 0.2),
                                  ("--differential", ["lu", "qr"], 0.15), ("--max-factor", ["2", "50"], 0.1),
                                  ("--safety", ["0.5", "0.95"], 0.1), ("--newton-updates", ["-1", "3"], 0.1),
                                  ("--jacobian-reuse", ["-1", "0.01", "0.3"], 0.1),
                                  ("--reference", ["start", "stage1", "stage2", "stage3"], 0.15)):
        if rng.random() < share:
            words += [option, rng.choice(values)]
    for flag in ("--carry-accelerations", "--lagged" if form in ("ggl", "ext316", "ext317", "pinv") else "", "--turning" if form == "pinv" else ""):
        if flag and rng.random() < 0.2:
            words.append(flag)
    rtol = float("%.2e" % 10**rng.uniform(-6.5 if method in SLOW else -9.5, -4))
    return words + ["--rtol", "%.2e" % rtol], form, method, rtol


def run(path, *words, timeout=60):
    try:
        done = subprocess.run([PROGRAM, "run", path, "--json", "--quiet", *words], capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return {"status": "late", "message": "timeout"}
    if done.returncode not in (0, 1, 2) or "Sanitizer" in done.stderr or "runtime error" in done.stderr:
        return {"status": "CRASH", "message": f"{done.returncode} {done.stderr[-300:]}"}
    if done.returncode == 2 or not done.stdout.strip():
        return {"status": "refused", "message": done.stderr.strip()[-200:]}
    return json.loads(done.stdout)


def sizes(m, final):
    """The size of each variable: its own at the end, or that of its kind: lengths, angles, rates."""
    largest = {True: 0.0, False: 0.0}
    for name, x in final.items():
        largest[name.startswith("der(")] = max(largest[name.startswith("der(")], abs(x))
    return {name: max(abs(x), largest[name.startswith("der(")]) or 1.0 for name, x in final.items()}


def deviation(m, found, reference):
    size = sizes(m, reference)
    names = [n for n in reference if not n.startswith(("lambda", "mu"))]
    return max((abs(found[n] - reference[n]) / size[n] for n in names if n in found), default=0.0)


def allowed(done, rtol, amplification):
    """Each step errs by rtol at most, and the motion amplifies what it has erred; 100 rtol are claimed for few steps, too.
    Errors of order 5 go with rtol^(5/6) (docs/numerics.md)."""
    errs = rtol**(5 / 6) if done["method"] == "radau5" else rtol
    return amplification * errs * max(FACTOR, done["steps"]["accepted"])


def disturbed(script, rng):
    """The same mechanism with start values, gravity, potentials, masses and springs that differ by DISTURBANCE."""
    def more(number):
        return repr(float(number[0]) * (1 + rng.choice([-1, 1]) * DISTURBANCE))
    lines = []
    for line in script.split("\n"):
        if line.startswith(("gravity", "initial", "potential", "kinetic")):
            line = re.sub(r"(?<![\w.])-?\d+\.\d+(e[-+]?\d+)?", more, line)
        line = re.sub(r"(?<=inertia = {)[^}]*", lambda part: re.sub(r"[-+.e\d]+", more, part[0]), line)
        lines.append(re.sub(r"(?<=(?:ness|ngth|mass) = )[-+.e\d]+", more, line))
    return "\n".join(lines)


def amplification_of(m, seed, path, reference):
    """How much larger the change of the end is than a change of the start and the forces: the largest of three; None: not
    known. A disturbance meets directions that grow only by chance, errors of many steps meet all: a factor of 3."""
    rng, largest = random.Random(seed + 2 * 10**6), 1.0
    other = path + ".disturbed.lua"
    for _ in range(3):
        with open(other, "w") as file:
            file.write(disturbed(m.script, rng))
        done = run(other, "--rtol", "1e-11")
        if done["status"] != "completed":
            return None
        largest = max(largest, 3 * deviation(m, done["final"], reference["final"]) / DISTURBANCE)
    return largest


def closed(reference):
    """Whether there are holonomic constraints."""
    return reference["max_residual"]["position"] is not None


def confirm(m, seed, path, reference, amplification):
    """The reference by another form and method, with another kind of steps."""
    for words in (["--form", "ggl", "--method", "radau5"], ["--form", "uode", "--method", "explicit-pair"], ["--method", "extrapolation"]):
        done = run(path, *words, "--rtol", "1e-9")
        if done["status"] == "completed":
            found = deviation(m, done["final"], reference["final"])
            if found > allowed(done, 1e-9, amplification):
                return [(seed, words, f"misses the reference by {found:.2g}")]
            return []
    return []


def there_and_back(m, seed, path, reference, amplification):
    """From the end back to the start, and on from the middle."""
    problems = []
    state = os.path.join(os.path.dirname(path), "state.json")
    words = ["--rtol", "1e-9"]
    begin = run(path, *words, "--to", repr(m.to * 1e-9))
    half = run(path, *words, "--to", repr(m.to / 2), "--save", state)
    if half["status"] != "completed":
        return problems
    rest = run(path, *words, "--start-from", state)
    if rest["status"] == "completed":
        found = deviation(m, rest["final"], reference["final"])
        if found > allowed(rest, 1e-9, amplification):
            problems.append((seed, ["--start-from"], f"{found:.2g}"))
    else:
        problems.append((seed, ["--start-from"], str(rest)[:200]))
    back = run(path, *words, "--start-from", state, "--to", "0")
    if back["status"] == "completed" and begin["status"] == "completed":
        found = deviation(m, back["final"], begin["final"])
        if found > 2 * amplification * allowed(back, 1e-9, amplification):  # errors of the way there, too
            problems.append((seed, ["back"], f"{found:.2g}"))
    elif back["status"] != "refused":
        problems.append((seed, ["back"], str(back)[:200]))
    return problems


def try_seed(seed, folder, ways_each):
    m = make(seed)
    path = os.path.join(folder, f"m{seed}.lua")
    with open(path, "w") as file:
        file.write(m.script)
    problems, counts = [], {}
    reference = run(path, "--rtol", "1e-11")
    if reference["status"] != "completed":
        REASONS.append((seed, reference["status"], "--rtol 1e-11", reference["message"]))
        return [], {"no reference": 1}
    amplification = amplification_of(m, seed, path, reference)
    if amplification is None or amplification > MOST:
        return [], {"chaotic": 1}
    problems += confirm(m, seed, path, reference, amplification)
    rng = random.Random(seed + 10**6)
    for _ in range(ways_each):
        words, form, method, rtol = ways(rng)
        ends = rng.random()
        if ends < 0.3:
            words += ["--every", repr(m.to / rng.choice([3, 10, 77]))] + (["--interpolate"] if ends < 0.15 else [])
        done = run(path, *words)
        counts[done["status"]] = counts.get(done["status"], 0) + 1
        if done["status"] in ("refused", "failed"):
            REASONS.append((seed, done["status"], " ".join(words), done["message"]))
            if not done["message"]:
                problems.append((seed, words, "ends without a message"))
        if done["status"] == "CRASH":
            problems.append((seed, words, done["message"]))
        if done["status"] != "completed":
            continue
        if form == "eom" and method in SLOW:  # velocities of index 2: the run has to say so
            if not any("velocities are differences" in text for text in done["warnings"]) and closed(reference):
                problems.append((seed, words, "does not warn of its velocities"))
            continue
        found = deviation(m, done["final"], reference["final"])
        if not found <= allowed(done, rtol, amplification):
            problems.append((seed, words, f"misses the reference by {found:.2g}, {found / rtol:.3g} rtol, in "
                             f"{done['steps']['accepted']} steps, amplification {amplification:.3g}"))
    return problems + there_and_back(m, seed, path, reference, amplification), counts


def main():
    first, count = int(sys.argv[2]), int(sys.argv[3])
    each = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    total, wrong = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            problems, counts = try_seed(seed, folder, each)
            for key, n in counts.items():
                total[key] = total.get(key, 0) + n
            for number, words, what in problems:
                wrong += 1
                print(f"WRONG: seed {number}: {' '.join(words)}: {what}", flush=True)
    if os.environ.get("REASONS"):
        with open(os.environ["REASONS"], "w") as file:
            json.dump(REASONS, file, indent=0)
    print(f"{count} mechanisms, runs {total}, {wrong} wrong")
    return wrong > 0 or 2 * total.get("completed", 0) < sum(total.values())


if __name__ == "__main__":
    sys.exit(main())
