"""Equations as Python functions: ordinary differential equations as in scipy.integrate.solve_ivp, and mechanical systems with
constraints, which stay on them."""
from . import _library
from ._library import Error

_FORCE, _DYNAMIC, _POSITION, _VELOCITY, _DIRECTIONS, _BIAS = 2, 4, 16, 32, 64, 128  # as in driftless/eom.h
_METHODS = {"radau": "radau", "bdf": "bdf"}


class Solution:
    """What solve_ivp gives, by SciPy's names: t, y (a row for each variable), t_events, y_events, success, status (0: the end is reached,
    1: a terminal event, -1: failed), message, nfev, njev, nlu; with constraints also p, v, lam and `residuals`, the largest ones of
    each level at all steps."""

    def __init__(self, found, **more):
        self.status = {"DFL_OK": 0, "DFL_STOPPED": 1}.get(found["status"], -1)
        self.success = self.status >= 0
        self.message = found["message"] or "The solver successfully reached the end of the integration interval."
        self.nsteps, self.njev, self.nlu = found["steps"], found["jacobians"], found["decompositions"]
        self.__dict__.update(more)

    def __repr__(self):
        return f"<driftless solution: {'success' if self.success else self.message}, {len(self.t)} times, {self.nfev} evaluations>"


def solve_ivp(fun, t_span, y0, method="Radau", t_eval=None, *, events=None, args=(), jac=None, rtol=1e-6, atol=None,
              first_step=None, max_step=None):
    """y' = fun(t, y) from y(t0) = y0, t_span = (t0, t_end), as scipy.integrate.solve_ivp: Radau IIA of orders 5, 9 and 13 ("Radau") or
    backward differences ("BDF"). `jac` is a function jac(t, y), a matrix, or None: differences. Events are functions event(t, y)
    with attributes `terminal` and `direction`. atol=None follows the size of each variable."""
    import numpy as np

    y0 = _vector(y0, "y0")
    n = len(y0)
    function = (lambda t, y: fun(t, y, *args)) if args else fun
    matrix = None if jac is None or callable(jac) else _shaped(jac, (n, n), "jac")
    slopes = None if jac is None else (lambda t, y: matrix) if matrix is not None else (lambda t, y: jac(t, y, *args)) if args else jac
    counted = _Counted(function)
    _shaped(counted(float(t_span[0]), y0.copy()), (n,), "fun(t, y)")

    def evaluate(need, t):
        if need & _DYNAMIC:
            view["b"][:] = counted(t, view["x"].copy())

    def jacobian(t):
        view["jac_b"][:] = _shaped(slopes(t, view["x"].copy()), (n, n), "jac(t, y)")

    happen = _Events(events, lambda f, t, x: f(t, x, *args), lambda x: x)
    solver = _library.Solver(0, 0, n, 0, False, False, evaluate, None, jacobian if slopes else None, happen.function(), happen.kinds,
                             rtol, _each(atol, n), _size(first_step), _size(max_step), "psf", _method(method), False)
    view = _views(solver, {"jac_b": (n, n)})
    happen.view = view
    t, x, found = _run(solver, t_span, y0, t_eval)
    t_events, y_events = happen.collected(found)
    return Solution(found, t=t, y=x.T, nfev=counted.calls, t_events=t_events, y_events=y_events)


def solve_constrained(force, t_span, p0, v0=None, *, mass=None, constraint=None, constraint_jac=None, constraint_bias=None, jac=None,
                      t_eval=None, events=None, args=(), method="Radau", form="psf", rtol=1e-6, atol=None, first_step=None,
                      max_step=None, check=False):
    """M(t, p) p'' = force(t, p, v) - G^T lam, 0 = constraint(t, p): a mechanical system that stays on its constraints, positions, velocities
    and accelerations, at every step.

    mass             a number for each coordinate, a matrix, or a function mass(t, p) of either; None: 1
    constraint_jac   G(t, p), the derivative of the constraints, a row for each; None: by complex steps where the function of the
                     constraints takes complex numbers, else by differences
    constraint_bias  the second derivative along the motion without accelerations; None: by differences of G
    jac              jac(t, p, v) gives the derivatives of the force by p and by v, a pair of matrices; None: differences
    events           functions event(t, p, v) with attributes `terminal` and `direction`
    check            compares what was given with differences at the start

    p0 and v0 are moved onto the constraints by the least change. Returns a Solution with t, p, v, lam (a row for each), y (p above v)."""
    import numpy as np

    system = _System(np, force, mass, constraint, constraint_jac, constraint_bias, jac, args)
    p0 = _vector(p0, "p0")
    v0 = np.zeros(len(p0)) if v0 is None else _vector(v0, "v0")
    if len(v0) != len(p0):
        raise Error(f"v0 has {len(v0)} values, p0 has {len(p0)}")
    system.look(float(t_span[0]), p0, v0)
    n, nl = len(p0), system.nl
    happen = _Events(events, lambda f, t, x: f(t, x[nl + n:], x[nl:nl + n], *args), lambda x: np.concatenate([x[nl + n:], x[nl:nl + n]]))
    solver = _library.Solver(n, n, 0, nl, system.diagonal, system.mass_function is None, system.evaluate,
                             system.write_mass if system.has_mass else None, system.write_jacobian if jac else None,
                             happen.function(), happen.kinds, rtol, _each(atol, nl + 2 * n), _size(first_step), _size(max_step), form,
                             _method(method), check)
    columns = nl + 2 * n
    system.view = happen.view = _views(solver, {"W": (nl, n), "mass": (n,) if system.diagonal else (n, n), "jac_acc": (nl, columns),
                                                "jac_vel": (nl, 2 * n), "jac_pos": (nl, n), "jac_dyn": (n, columns)})
    t, x, found = _run(solver, t_span, np.concatenate([np.zeros(nl), v0, p0]), t_eval)
    t_events, y_events = happen.collected(found)
    p, v = x[:, nl + n:].T, x[:, nl:nl + n].T
    residuals = {level: found[level] for level in ("position", "velocity", "acceleration")} if nl else {}
    return Solution(found, t=t, y=np.concatenate([p, v]), p=p, v=v, lam=x[:, :nl].T, nfev=system.force.calls, t_events=t_events,
                    y_events=y_events, residuals=residuals)


# ---- parts


class _Counted:
    """A function that counts its calls."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *arguments):
        self.calls += 1
        return self.function(*arguments)


def _vector(values, name):
    import numpy as np

    try:
        array = np.array(values, dtype=float).reshape(-1)
    except (TypeError, ValueError):
        raise Error(f"{name}: {values!r} is not a list of numbers") from None
    if not np.isfinite(array).all():
        raise Error(f"{name} has values that are not finite numbers")
    return array


def _shaped(values, shape, name):
    """An array of this shape, or a message."""
    import numpy as np

    array = np.asarray(values)
    if array.shape == shape:
        return array
    if array.size == 1 and all(k == 1 for k in shape):
        return array.reshape(shape)
    raise Error(f"{name} gives shape {array.shape}; {shape} is needed")


def _each(atol, n):
    import numpy as np

    if atol is None:
        return None
    try:
        array = np.broadcast_to(np.asarray(atol, dtype=float), (n,))
    except (TypeError, ValueError):
        raise Error(f"atol is a number, or one for each of {n} unknowns") from None
    if not (array > 0).all():
        raise Error("atol must be positive")
    return array.tobytes()


def _size(value):
    """A size of steps; None and inf: 0, the library's choice."""
    return 0.0 if value is None or value == float("inf") else float(value)


def _method(name):
    try:
        return _METHODS[name.lower()]
    except (KeyError, AttributeError):
        raise Error(f"there is no method {name!r}; choose 'Radau' or 'BDF'") from None


def _views(solver, shapes):
    """Arrays of NumPy on the buffers of a solver; matrices are stored by columns."""
    import numpy as np

    views = {}
    for name, buffer in solver.buffers().items():
        array = np.frombuffer(buffer)
        views[name] = array.reshape(shapes[name], order="F") if name in shapes else array
    return views


def _run(solver, t_span, x0, t_eval):
    import numpy as np

    t0, t_end = _vector(t_span, "t_span") if np.size(t_span) == 2 else (None, None)
    if t0 is None:
        raise Error("t_span is (t0, t_end)")
    times = None
    if t_eval is not None:
        times = _vector(t_eval, "t_eval")
        sign = -1 if t_end < t0 else 1
        if (np.diff(times) * sign <= 0).any() or len(times) and not (sign * t0 <= sign * times[0] and sign * times[-1] <= sign * t_end):
            raise Error("t_eval must be sorted and inside of t_span")
    found = solver.run(t0, x0.tobytes(), t_end, None if times is None else times.tobytes())
    if found["status"] in ("DFL_INVALID", "DFL_INCONSISTENT") or (found["status"] not in ("DFL_OK", "DFL_STOPPED") and not found["steps"]):
        raise Error(found["message"])
    rows = np.frombuffer(found["rows"]).reshape(found["count"], -1)
    return rows[:, 0], rows[:, 1:], found


class _Events:
    """Event functions as SciPy has them."""

    def __init__(self, events, call, state):
        self.functions = [] if events is None else [events] if callable(events) else list(events)
        self.call, self.state, self.view = call, state, None
        self.kinds = [(int(_sign(getattr(f, "direction", 0))), bool(getattr(f, "terminal", False))) for f in self.functions]

    def function(self):
        return self.evaluate if self.functions else None

    def evaluate(self, t):
        x = self.view["x"].copy()
        self.view["events"][:] = [self.call(f, t, x) for f in self.functions]

    def collected(self, found):
        import numpy as np

        if not self.functions:
            return None, None
        times, states = [[] for _ in self.functions], [[] for _ in self.functions]
        for number, t, x in found["events"]:
            times[number].append(t)
            states[number].append(self.state(np.frombuffer(x)))
        return [np.array(each) for each in times], [np.array(each) for each in states]


def _sign(x):
    return (x > 0) - (x < 0)


class _System:
    """The functions of a mechanical system, as the solver asks for them."""

    def __init__(self, np, force, mass, constraint, constraint_jac, constraint_bias, jac, args):
        def with_arguments(function):
            return (lambda *a: function(*a, *args)) if args and function else function

        self.np, self.view, self.nl = np, None, 0
        self.force = _Counted(with_arguments(force))
        self.mass_function = with_arguments(mass) if callable(mass) else None
        self.mass_value = None if mass is None or callable(mass) else np.asarray(mass, dtype=float)
        self.has_mass, self.diagonal = mass is not None, False
        self.constraint, self.G = with_arguments(constraint), with_arguments(constraint_jac)
        self.bias, self.jac = with_arguments(constraint_bias), with_arguments(jac)
        self.complex = False

    def look(self, t, p, v):
        """What the functions give at the start: sizes, and whether constraints take complex numbers."""
        np, n = self.np, len(p)
        self.n = n
        _shaped(self.force(t, p.copy(), v.copy()), (n,), "force(t, p, v)")
        if self.has_mass:
            M = np.asarray(self.mass_function(t, p.copy()) if self.mass_function else self.mass_value)
            if M.shape not in ((n,), (n, n)):
                raise Error(f"mass has shape {M.shape}; ({n},) or ({n}, {n}) is needed")
            self.diagonal = M.ndim == 1
        if self.constraint is None:
            return
        g = np.asarray(self.constraint(t, p.copy()))
        if g.ndim > 1:
            raise Error(f"constraint(t, p) gives shape {g.shape}; a list of numbers is needed")
        self.nl = g.size
        if self.nl > n:
            raise Error(f"there are {self.nl} constraints of {n} coordinates")
        self.complex = self._takes_complex(t, p, v)
        if self.G:
            _shaped(self.G(t, p.copy()), (self.nl, n), "constraint_jac(t, p)")
        if self.bias:
            _shaped(self.bias(t, p.copy(), v.copy()), (self.nl,), "constraint_bias(t, p, v)")
        if self.jac:
            for part, name in zip(self.jac(t, p.copy(), v.copy()), ("first", "second")):
                _shaped(part, (n, n), f"jac(t, p, v): the {name} matrix")

    def g(self, t, p):
        return self.np.reshape(self.constraint(t, p), self.nl)

    def _takes_complex(self, t, p, v):
        """Whether complex steps give the derivatives that differences give."""
        import warnings

        np = self.np
        along = v + np.linspace(0.7, 1.3, self.n)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                exact = np.imag(self.g(t + 1e-20j, p + 1e-20j * along)) / 1e-20
        except Exception:  # whatever a function does with numbers that it does not know
            return False
        h = 1e-6 * (1 + abs(p).max()) / (1 + abs(along).max())
        rough = (self.g(t + h, p + h * along) - self.g(t - h, p - h * along)) / (2 * h)
        return bool(np.allclose(exact, rough, rtol=1e-4, atol=1e-6 * (1 + abs(rough).max())))

    def directions(self, t, p):
        """G"""
        np, n = self.np, self.n
        if self.G:
            return np.reshape(self.G(t, p), (self.nl, n))
        G = np.empty((self.nl, n))
        for j in range(n):
            if self.complex:
                q = p.astype(complex)
                q[j] += 1e-20j
                G[:, j] = np.imag(self.g(t, q)) / 1e-20
            else:
                h = 6e-6 * max(1.0, abs(p[j]))
                up, down = p.copy(), p.copy()
                up[j] += h
                down[j] -= h
                G[:, j] = (self.g(t, up) - self.g(t, down)) / (up[j] - down[j])
        return G

    def rate(self, t, p, v, G=None):
        """G v + g_t; without complex steps the part with time is exactly zero for constraints that do not depend on it."""
        if self.complex:
            return self.np.imag(self.g(t + 1e-20j, p + 1e-20j * v)) / 1e-20
        h = 6e-6 * max(1.0, abs(t))
        moving = (self.g(t + h, p) - self.g(t - h, p)) / (2 * h)
        return (self.directions(t, p) if G is None else G) @ v + moving

    def second(self, t, p, v):
        """The second derivative along the motion without accelerations."""
        np = self.np
        if self.bias:
            return np.reshape(self.bias(t, p, v), self.nl)
        if self.G or self.complex:  # the rate is exact (without complex steps: but for time)
            h = 1e-3 * (1 + abs(p).max()) / (1 + abs(v).max())
            r = [self.rate(t + k * h, p + k * h * v, v) for k in (-2, -1, 1, 2)]
            return (r[0] - 8 * r[1] + 8 * r[2] - r[3]) / (12 * h)
        h = 5e-3 * (1 + abs(p).max()) / (1 + abs(v).max())
        g = [self.g(t + k * h, p + k * h * v) for k in (-2, -1, 0, 1, 2)]
        return (-g[0] + 16 * g[1] - 30 * g[2] + 16 * g[3] - g[4]) / (12 * h * h)

    def evaluate(self, need, t):
        view, nl, n = self.view, self.nl, self.n
        x = view["x"].copy()
        v, p = x[nl:nl + n], x[nl + n:]
        if need & _FORCE:
            view["f"][:] = self.force(t, p, v)
        if not nl:
            return
        if need & _POSITION:
            view["g"][:] = self.g(t, p)
        G = self.directions(t, p) if need & _DIRECTIONS or (need & _VELOCITY and not self.complex) else None
        if need & _VELOCITY:
            view["gI"][:] = self.rate(t, p, v, G)
        if need & _DIRECTIONS:
            view["W"][:] = G
        if need & _BIAS:
            view["bias"][:] = self.second(t, p, v)

    def mass(self, t, p):
        return self.mass_function(t, p) if self.mass_function else self.mass_value

    def write_mass(self, t):
        x = self.view["x"].copy()
        self.view["mass"][:] = self.mass(t, x[self.nl + self.n:])

    def write_jacobian(self, t):
        """Derivatives of all rows: those of the force are given, the others are differences."""
        np, view, nl, n = self.np, self.view, self.nl, self.n
        x, a = view["x"].copy(), view["a"].copy()
        lam, v, p = x[:nl], x[nl:nl + n], x[nl + n:]
        by_p, by_v = self.jac(t, p, v)
        dyn, acc = view["jac_dyn"], view["jac_acc"]
        dyn[:, nl:nl + n], dyn[:, nl + n:] = by_v, by_p
        if nl:
            G = self.directions(t, p)
            dyn[:, :nl], acc[:, :nl] = -G.T, 0
            view["jac_pos"][:] = G
            view["jac_vel"][:, :n] = G
        for j in range(n):
            q, h = p.copy(), 1e-6 * max(1.0, abs(p[j]))
            q[j] += h
            up, q[j] = q.copy(), p[j] - h
            down, width = q, up[j] - q[j]
            if self.mass_function:
                slope = (np.asarray(self.mass(t, up)) - np.asarray(self.mass(t, down))) / width
                dyn[:, nl + n + j] -= slope * a if self.diagonal else slope @ a
            if nl:
                slope = (self.directions(t, up) - self.directions(t, down)) / width
                dyn[:, nl + n + j] -= slope.T @ lam
                view["jac_vel"][:, n + j] = (self.rate(t, up, v) - self.rate(t, down, v)) / width
                acc[:, nl + n + j] = slope @ a + (self.second(t, up, v) - self.second(t, down, v)) / width
                k = 1e-4 * max(1.0, abs(v[j]))
                faster, slower = v.copy(), v.copy()
                faster[j] += k
                slower[j] -= k
                acc[:, nl + j] = (self.second(t, p, faster) - self.second(t, p, slower)) / (faster[j] - slower[j])
