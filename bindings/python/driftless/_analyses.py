"""Analyses near a state, inverse dynamics, and equations as texts for SymPy."""
import re


def _matrix(data, rows, columns):
    import numpy

    return numpy.frombuffer(data).reshape((rows, columns), order="F")


class Linear:
    """y' = A y + B u, outputs = C y + D u, for small changes near a state. A, B, C, D are arrays; `states`, `inputs` and
    `outputs` name their rows and columns; `values` has all variables at the state, `kind` is "equilibrium",
    "steady" or "frozen" (the matrices then hold for this instant)."""

    def __init__(self, near):
        self._near = near
        about = near.about()
        self.t, self.kind = about["t"], about["kind"]
        self.states, self.inputs, self.outputs = about["states"], about["inputs"], about["outputs"]
        self.positions = about["positions"]
        ny, nu, no = len(self.states), len(self.inputs), len(self.outputs)
        self.A, self.B = _matrix(about["A"], ny, ny), _matrix(about["B"], ny, nu)
        self.C, self.D = _matrix(about["C"], no, ny), _matrix(about["D"], no, nu)
        self.values = dict(zip(about["names"], _matrix(about["values"], len(about["names"]), 1)[:, 0].tolist()))
        self.residual, self.iterations = about["residual"], about["iterations"]

    def modes(self):
        """Eigenvalues, frequencies, damping ratios and shapes."""
        return Modes(self._near, self)

    def response(self, omega):
        """The frequency response at the frequencies omega (rad/s): a complex array [frequency, output, input]; NaN at a
        frequency that is an eigenvalue."""
        import numpy

        omega = numpy.atleast_1d(numpy.asarray(omega, dtype=float))
        data = numpy.frombuffer(self._near.response(omega.tobytes()))
        shape = (len(omega), len(self.inputs), len(self.outputs))
        half = data.size // 2
        return (data[:half] + 1j * data[half:]).reshape(shape).transpose(0, 2, 1)

    def lqr(self, state_weight, input_weight=None):
        """State feedback u = -K y that minimizes the integral of weighted squares; weights are dictionaries by name of
        variables, outputs and inputs (inputs that are not named have 1)."""
        from ._models import pairs

        K, poles, unreached, unshown = self._near.lqr(pairs(state_weight), pairs(input_weight))
        return Feedback(self, _matrix(K, len(self.inputs), len(self.states)), poles, unreached, unshown)

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_near"] = None
        return state

    def __repr__(self):
        return (f"<linear equations at t = {self.t} ({self.kind}): {len(self.states)} states, {len(self.inputs)} inputs, "
                f"{len(self.outputs)} outputs>")


class Modes:
    """Modes by |im|, then by re: `eigenvalues` (complex), `hz`, `damping`, `unstable` (their number), `stable` (None: not judged,
    `why` says the reason), and `shapes`: how the positions (`positions`) move in each mode, a complex array [mode, position],
    1 for the one that moves most."""

    def __init__(self, near, linear):
        import numpy

        modes, self.unstable, self.indifferent, shapes, self.why = near.modes()
        table = numpy.array(modes, dtype=float).reshape(-1, 4)
        self.kind, self.positions = linear.kind, linear.positions
        self.eigenvalues = table[:, 0] + 1j * table[:, 1]
        self.hz, self.damping = table[:, 2], table[:, 3]
        shapes = numpy.frombuffer(shapes).reshape(2, len(table), len(self.positions))
        self.shapes = shapes[0] + 1j * shapes[1]
        self.stable = None if self.why else self.unstable == 0 and self.indifferent == 0

    def __len__(self):
        return len(self.eigenvalues)

    def __repr__(self):
        lines = ["     re (1/s)      im (rad/s)          Hz     damping"]
        for value, hz, damping in zip(self.eigenvalues, self.hz, self.damping):
            lines.append(f"{value.real:13.6g} {value.imag:15.6g} {hz:11.6g} {damping:11.6g}")
        return "\n".join(lines)


class Equilibrium(Linear):
    """A state of rest or a steady motion: eq["x"], eq.values, eq.stable (None: not judged, eq.why says the
    reason), eq.unstable, eq.residual; linear equations near it as in Linear."""

    def __init__(self, near):
        super().__init__(near)
        modes = near.modes() if self.states else ((), 0, 0, b"", None)
        self.unstable, self.why = modes[1], modes[4]
        self.stable = self.unstable == 0
        if self.why:  # stability is not judged
            self.unstable = self.stable = None

    def __getitem__(self, name):
        return self.values[name]

    def __repr__(self):
        words = {True: "stable", False: "unstable", None: "not judged"}
        return f"<equilibrium ({words[self.stable]}): {self.values}>"


class Feedback:
    """u = -K y: K, `states`, `inputs`, `poles` of the closed loop (complex); how many unstable modes inputs do not reach
    (`unreached`) and outputs do not show (`unshown`)."""

    def __init__(self, linear, K, poles, unreached, unshown):
        import numpy

        self.K, self.states, self.inputs = K, linear.states, linear.inputs
        self.poles = numpy.array([complex(p[0], p[1]) for p in poles])
        self.unreached, self.unshown = unreached, unshown

    def __repr__(self):
        return f"<feedback of {', '.join(self.states)} to {', '.join(self.inputs)}: poles {self.poles}>"


class Followed:
    """The table of an inverse analysis: t, f["x"], names; `drives` with their largest and effective values."""

    def __init__(self, found):
        import numpy

        self.table = numpy.frombuffer(found["values"]).reshape(found["rows"], found["columns"])
        self.names = found["names"]
        first = found["first_drive"]
        names = self.names[first:first + found["ndrives"]]
        peaks, effective = numpy.frombuffer(found["peak"]), numpy.frombuffer(found["rms"])
        self.drives = {name: {"peak": float(p), "rms": float(e)} for name, p, e in zip(names, peaks, effective)}

    @property
    def t(self):
        return self.table[:, 0]

    def __getitem__(self, name):
        from ._library import Error

        if name not in self.names:
            raise Error(f"there is no column {name!r}; there are {', '.join(self.names)}")
        return self.table[:, 1 + self.names.index(name)]

    def __repr__(self):
        return f"<inverse dynamics: {len(self.table)} rows, drives {', '.join(self.drives)}>"


class Gradient:
    """Derivatives of the end of a run: g["energy"] is a dictionary by parameter, `values` the outputs themselves, `matrix` an array
    [output, parameter], `of` and `by` their names, `t` the time."""

    def __init__(self, found):
        import numpy

        rows = found.get("list") or [found]
        self.t, self.of, self.by = rows[0]["t"], [row["of"] for row in rows], list(rows[0]["gradient"])
        self.values = {row["of"]: row["value"] for row in rows}
        self.matrix = numpy.array([[row["gradient"][name] for name in self.by] for row in rows], dtype=float)

    def __getitem__(self, name):
        from ._library import Error

        if name not in self.of:
            raise Error(f"there is no gradient of {name!r}; there are {', '.join(self.of)}")
        return dict(zip(self.by, self.matrix[self.of.index(name)].tolist()))

    def __repr__(self):
        return f"<gradient at t = {self.t}: " + "; ".join(f"{name} {self[name]}" for name in self.of) + ">"


# ---- SymPy

_HEADS = {
    "Abbreviations": "abbreviations", "Equations of motion": "motion", "Dynamic variables": "dynamic",
    "Auxiliary variables": "auxiliary", "Contact equations": "contact", "Constraints, positions": "constraints",
    "Constraints, velocities": "velocities", "Constraints, accelerations": "accelerations", "Energy": "energy", "Outputs": "outputs",
}
_FUNCTIONS = {"abs": "Abs", "min": "Min", "max": "Max", "mod": "Mod", "atan2": "atan2", "log": "log"}


def sympy_texts(text):
    """The sections of the equations as lists of texts for sympy.sympify: variables are functions of Symbol('t')."""
    unknowns, parameters, sections, head = [], [], {}, None
    for line in re.sub(r"\n {4,}", " ", text).splitlines():  # long lines go on there
        if line and not line.startswith(" "):
            head = line
        elif head and head.startswith("Unknowns") and line.strip():
            unknowns.append(re.split(r"  +", line.strip())[0])
        elif head and head.startswith(("Parameters", "Inputs")) and line.strip():
            parameters.append(re.split(r" +=", line.strip())[0].strip())
        elif head and " = " in line:
            key = next((key for start, key in _HEADS.items() if head.startswith(start)), None)
            if key:
                sections.setdefault(key, []).append(line.strip())
    names = _Names(unknowns, parameters, sections.get("abbreviations", ()))
    return {key: [names.equation(line) for line in lines] for key, lines in sections.items()}


class _Names:
    """Known names as expressions of SymPy."""

    def __init__(self, unknowns, parameters, abbreviations):
        t = "Symbol('t')"
        known = {"time": t, "t": t}
        for name in parameters:
            known[name] = f"Symbol({name!r})"
        for line in abbreviations:
            name = line.split(" = ")[0]
            known[name] = f"Symbol({name!r})"
        for name in unknowns:
            known.setdefault(name, f"Function({name!r})({t})")
        for name in unknowns:
            if name.startswith("der("):
                inner = name[4:-1]
                known[name] = f"Derivative(Function({inner!r})({t}), {t})"
                known[f"der({name})"] = f"Derivative(Function({inner!r})({t}), ({t}, 2))"
            else:
                known.setdefault(f"der({name})", f"Derivative(Function({name!r})({t}), {t})")
        self._known = known
        longest = sorted(known, key=len, reverse=True)
        self._pattern = re.compile(
            r"(?P<known>" + "|".join(re.escape(n) + (r"(?![\w(])" if n[-1:].isalnum() else "") for n in longest) + ")"
            r"|(?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<other>.)")

    def expression(self, text):
        return "".join(self._token(match) for match in self._pattern.finditer(text))

    def _token(self, match):
        if match.lastgroup == "known":
            return self._known[match.group()]
        if match.lastgroup == "name":
            return _FUNCTIONS.get(match.group(), match.group())
        return "**" if match.group() == "^" else match.group()

    def equation(self, line):
        left, _, right = line.partition(" = ")
        left = "0" if left.endswith(": 0") else left
        if left == "T + V":
            return self.expression(right)
        return f"Eq({self.expression(left)}, {self.expression(right)}, evaluate=False)"
