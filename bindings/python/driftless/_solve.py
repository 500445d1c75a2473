"""Equations as Python functions: ordinary differential equations as in scipy.integrate.solve_ivp, and mechanical systems with
constraints, which stay on them."""
import re

from . import _library
from ._library import Error
from ._system import Counted, System, shaped, vector

_DYNAMIC = 4  # as in driftless/eom.h
_METHODS = {"radau": "radau", "bdf": "bdf"}
_OF_SYSTEMS = {"f": "force(t, p, v)", "g": "constraint(t, p)", "gI": "the rate of constraint", "W": "constraint_jac", "bias": "constraint_bias"}
_NODES = 9  # of a step: polynomials of degree 8 and less, as all methods have them, are kept exactly
_REFUSED = {  # what SciPy takes and we do not
    "jac_sparsity": "leave it out, or give jac", "lband": "give jac", "uband": "give jac", "min_step": "steps are as short as they must be",
}


class Solution:
    """What solve_ivp gives, by SciPy's names: t, y (a row for each variable), sol (a function of time, with dense_output=True), t_events,
    y_events, success, status (0: the end is reached, 1: a terminal event, -1: failed), message, nfev, njev, nlu; with constraints also
    p, v, lam and `residuals`, the largest ones of each level at all steps. Names may be attributes or keys."""

    def __init__(self, found, **more):
        self.status = {"DFL_OK": 0, "DFL_STOPPED": 1}.get(found["status"], -1)
        self.success = self.status >= 0
        self.message = (found["message"] if self.status < 0 else "A termination event occurred." if self.status else
                        "The solver successfully reached the end of the integration interval.")
        self.nsteps, self.njev, self.nlu = found["steps"], found["jacobians"], found["decompositions"]
        self.__dict__.update(more)

    def keys(self):
        """The names of what there is."""
        return self.__dict__.keys()

    def __getitem__(self, name):
        return self.__dict__[name]

    def __repr__(self):
        return f"<driftless solution: {'success' if self.success else self.message}, {len(self.t)} times, {self.nfev} evaluations>"


class Dense:
    """A solution as a function of time: sol(t) is the state at a time, or a column for each of several times; ts are the ends of the steps."""

    def __init__(self, steps, order):
        import numpy as np

        self._nodes = _chebyshev(np)
        self._begin, self._end = steps[:, 0], steps[:, 1]
        self._states = steps[:, 2:].reshape(len(steps), _NODES, -1)[:, :, order]
        self.ts = np.concatenate([self._begin[:1], self._end])
        self.t_min, self.t_max = (self.ts.min(), self.ts.max()) if len(self.ts) else (np.nan, np.nan)

    def __call__(self, t):
        import numpy as np

        t = np.asarray(t, dtype=float)
        if t.ndim > 1:
            raise Error("sol(t): t is a number or a list of numbers")
        at = np.atleast_1d(t)
        if not len(self._end) or not ((at >= self.t_min) & (at <= self.t_max)).all():
            raise Error(f"sol(t): t must be between {self.t_min} and {self.t_max}")
        backward = self._end[0] < self._begin[0]
        ends = -self._end if backward else self._end
        k = np.searchsorted(ends, -at if backward else at).clip(0, len(ends) - 1)
        s = 2 * (at - self._begin[k]) / (self._end[k] - self._begin[k]) - 1
        distance = s[:, None] - self._nodes
        here = abs(distance) < 1e-15
        weight = (-1.0) ** np.arange(_NODES) * np.where(np.isin(np.arange(_NODES), (0, _NODES - 1)), 0.5, 1.0)  # Berrut and Trefethen (2004), (5.4)
        share = weight / np.where(here, 1.0, distance)
        share = np.where(here.any(axis=1)[:, None], here, share)
        y = np.einsum("ij,ijn->ni", share / share.sum(axis=1)[:, None], self._states[k])
        return y[:, 0] if t.ndim == 0 else y


def _chebyshev(np):
    """The nodes in [-1, 1], in order; both ends are among them."""
    return -np.cos(np.pi * np.arange(_NODES) / (_NODES - 1))


def solve_ivp(fun, t_span, y0, method="Radau", t_eval=None, dense_output=False, events=None, vectorized=False, args=None, *, jac=None,
              rtol=1e-6, atol=None, first_step=None, max_step=None, **options):
    """y' = fun(t, y) from y(t0) = y0, t_span = (t0, t_end), as scipy.integrate.solve_ivp: Radau IIA of orders 5, 9 and 13 ("Radau") or
    backward differences ("BDF"). `jac` is a function jac(t, y), a matrix, or None: differences. Events are functions event(t, y)
    with attributes `terminal` (True, or the number of the event that ends the run) and `direction`. dense_output=True: `sol` of the solution is
    a function of time. `vectorized` functions get y as a column. atol=None follows the size of each variable. A function that raises, or Ctrl-C,
    ends the run; the exception's `result` is the solution so far."""
    import numpy as np

    _refuse(options)
    args = _arguments(args)
    y0 = vector(y0, "y0")
    n = len(y0)
    function = _callable(fun, "fun", args)
    if vectorized:
        columns = function
        function = lambda t, y: np.reshape(columns(t, y[:, None]), n)  # noqa: E731
    matrix = None if jac is None or callable(jac) else shaped(jac, (n, n), "jac")
    slopes = None if jac is None else (lambda t, y: matrix) if matrix is not None else _callable(jac, "jac", args)
    counted = Counted(function)
    shaped(counted(_span(t_span)[0], y0.copy()), (n,), "fun(t, y)")

    def evaluate(need, t):
        if need & _DYNAMIC:
            view["b"][:] = counted(t, view["x"].copy())

    def jacobian(t):
        view["jac_b"][:] = shaped(slopes(t, view["x"].copy()), (n, n), "jac(t, y)")

    happen = _Events(events, lambda f, t, x: f(t, x, *args), lambda x: x)
    solver = _library.Solver(0, 0, n, 0, False, False, evaluate, None, jacobian if slopes else None, happen.function(), happen.kinds,
                             _relative(rtol), _each(atol, n), _size(first_step, "first_step"), _size(max_step, "max_step"), "psf",
                             _method(method), False)
    view = _views(solver, {"jac_b": (n, n)})
    happen.view = view

    def solution(t, x, found):
        t_events, y_events = happen.collected(found)
        return Solution(found, t=t, y=x.T, sol=_dense(found, n, np.arange(n), dense_output), nfev=counted.calls, t_events=t_events,
                        y_events=y_events)

    return _run(solver, t_span, y0, t_eval, dense_output, solution, {"b": "fun(t, y)"})


def solve_constrained(force, t_span, p0, v0=None, *, mass=None, constraint=None, constraint_jac=None, constraint_bias=None, jac=None,
                      t_eval=None, dense_output=False, events=None, args=None, method="Radau", form="psf", rtol=1e-6, atol=None,
                      first_step=None, max_step=None, check=False):
    """M(t, p) p'' = force(t, p, v) - G^T lam, 0 = constraint(t, p): a mechanical system that stays on its constraints, positions, velocities
    and accelerations, at every step.

    mass             a number for each coordinate, a matrix, or a function mass(t, p) of either; None: 1
    constraint_jac   G(t, p), the derivative of the constraints, a row for each; None: by complex steps where the function of the
                     constraints takes complex numbers, else by differences
    constraint_bias  the second derivative along the motion without accelerations; None: by differences of G
    jac              jac(t, p, v) gives the derivatives of the force by p and by v, a pair of matrices; None: differences
    events           functions event(t, p, v) with attributes `terminal` and `direction`
    dense_output     sol(t) of the solution is p above v, on the constraints but for the tolerances
    check            compares what was given with differences at the start

    p0 and v0 are moved onto the constraints by the least change. Returns a Solution with t, p, v, lam (a row for each), y (p above v).
    A function that raises, or Ctrl-C, ends the run; the exception's `result` is the solution so far."""
    import numpy as np

    args = _arguments(args)
    system = System(np, force, mass, constraint, constraint_jac, constraint_bias, jac, args)
    p0 = vector(p0, "p0")
    v0 = np.zeros(len(p0)) if v0 is None else vector(v0, "v0")
    if len(v0) != len(p0):
        raise Error(f"v0 has {len(v0)} values, p0 has {len(p0)}")
    system.look(_span(t_span)[0], p0, v0)
    n, nl = len(p0), system.nl
    happen = _Events(events, lambda f, t, x: f(t, x[nl + n:], x[nl:nl + n], *args), lambda x: np.concatenate([x[nl + n:], x[nl:nl + n]]))
    solver = _library.Solver(n, n, 0, nl, system.diagonal, system.mass_function is None, system.evaluate,
                             system.write_mass if system.has_mass else None, system.write_jacobian if jac else None,
                             happen.function(), happen.kinds, _relative(rtol), _each(atol, nl + 2 * n), _size(first_step, "first_step"),
                             _size(max_step, "max_step"), form, _method(method), check)
    columns = nl + 2 * n
    system.view = happen.view = _views(solver, {"W": (nl, n), "mass": (n,) if system.diagonal else (n, n), "jac_acc": (nl, columns),
                                                "jac_vel": (nl, 2 * n), "jac_pos": (nl, n), "jac_dyn": (n, columns)})
    def solution(t, x, found):
        t_events, y_events = happen.collected(found)
        p, v = x[:, nl + n:].T, x[:, nl:nl + n].T
        residuals = {level: found[level] for level in ("position", "velocity", "acceleration")} if nl else {}
        order = np.concatenate([np.arange(nl + n, columns), np.arange(nl, nl + n)])
        return Solution(found, t=t, y=np.concatenate([p, v]), p=p, v=v, lam=x[:, :nl].T, sol=_dense(found, columns, order, dense_output),
                        nfev=system.force.calls, t_events=t_events, y_events=y_events, residuals=residuals)

    return _run(solver, t_span, np.concatenate([np.zeros(nl), v0, p0]), t_eval, dense_output, solution, _OF_SYSTEMS)


# ---- parts


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


def _size(value, name):
    """A size of steps; None and inf: 0, the library's choice."""
    if value is None or value == float("inf"):
        return 0.0
    try:
        size = float(value)
    except (TypeError, ValueError):
        size = -1.0
    if not size > 0:
        raise Error(f"{name} is {value!r}; it must be a positive number")
    return size


def _relative(rtol):
    try:
        return float(rtol)
    except (TypeError, ValueError):
        raise Error(f"rtol is {rtol!r}; give one number for all unknowns (atol may have one for each)") from None


def _arguments(args):
    if args is None:
        return ()
    try:
        return tuple(args)
    except TypeError:
        raise Error(f"args is {args!r}; give a tuple: args=({args!r},)") from None


def _callable(function, name, args):
    if not callable(function):
        raise Error(f"{name} is {function!r}; give a function {name}(t, y)")
    return (lambda t, y: function(t, y, *args)) if args else function


def _refuse(options):
    for name in options:
        if name not in _REFUSED:
            raise TypeError(f"solve_ivp() got an unexpected keyword argument {name!r}")
        if options[name] is not None:
            raise Error(f"solve_ivp: {name} is not supported; {_REFUSED[name]}")


def _span(t_span):
    import numpy as np

    if np.size(t_span) != 2:
        raise Error("t_span is (t0, t_end)")
    t0, t_end = vector(t_span, "t_span")
    return float(t0), float(t_end)


def _method(name):
    try:
        return _METHODS[name.lower()]
    except (KeyError, AttributeError):
        explicit = name in ("RK45", "RK23", "DOP853", "LSODA")
        raise Error(f"method {name!r} of SciPy is not here; 'Radau' is exact and fast without stiffness, too" if explicit else
                    f"there is no method {name!r}; choose 'Radau' or 'BDF'") from None


def _views(solver, shapes):
    """Arrays of NumPy on the buffers of a solver; matrices are stored by columns."""
    import numpy as np

    views = {}
    for name, buffer in solver.buffers().items():
        array = np.frombuffer(buffer)
        views[name] = array.reshape(shapes[name], order="F") if name in shapes else array
    return views


def _times(t_eval, t0, t_end):
    import numpy as np

    times = np.zeros(0) if np.size(t_eval) == 0 else vector(t_eval, "t_eval")
    sign = -1 if t_end < t0 else 1
    if (np.diff(times) * sign <= 0).any() or len(times) and not (sign * t0 <= sign * times[0] and sign * times[-1] <= sign * t_end):
        raise Error("t_eval must be sorted and inside of t_span")
    return times.tobytes()


def _run(solver, t_span, x0, t_eval, dense, solution, names):
    """Runs, and makes the solution(t, x, found); an exception gets what there is as its `result`."""
    import numpy as np

    def rows(found):
        rows = np.frombuffer(found["rows"]).reshape(found["count"], -1)
        return rows[:, 0], rows[:, 1:], found

    t0, t_end = _span(t_span)
    times = None if t_eval is None else _times(t_eval, t0, t_end)
    try:
        found = solver.run(t0, x0.tobytes(), t_end, times, _chebyshev(np).tobytes() if dense else None)
    except BaseException as failure:
        so_far = solver.found()
        so_far["message"] = f"{type(failure).__name__}: {failure}"
        if so_far["count"]:
            failure.result = solution(*rows(so_far))
        raise
    if found["status"] in ("DFL_INVALID", "DFL_INCONSISTENT") or (found["status"] not in ("DFL_OK", "DFL_STOPPED") and not found["steps"]):
        raise Error(_worded(found["message"], names))
    found["message"] = _worded(found["message"], names)
    return solution(*rows(found))


def _worded(message, names):
    """A message with the names of the caller's functions."""
    message = message.replace("eval returns", "the functions give")
    return re.sub(r"\b(b|f|g|gI|W|bias)\b(?=\[|,)", lambda match: names.get(match.group(), match.group()), message)


def _dense(found, n, order, wanted):
    import numpy as np

    return Dense(np.frombuffer(found["dense"]).reshape(-1, 2 + _NODES * n), order) if wanted else None


class _Events:
    """Event functions as SciPy has them."""

    def __init__(self, events, call, state):
        self.functions = [] if events is None else [events] if callable(events) else list(events)
        self.call, self.state, self.view = call, state, None
        for f in self.functions:
            if not callable(f):
                raise Error(f"events: {f!r} is not a function")
        self.kinds = [(int(_sign(getattr(f, "direction", 0))), _count(getattr(f, "terminal", 0))) for f in self.functions]

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


def _count(terminal):
    """How many events end a run; 0: none does."""
    try:
        count = int(terminal or 0)
    except (TypeError, ValueError):
        count = -1
    if count < 0 or count != (terminal or 0):
        raise Error(f"an event has terminal = {terminal!r}; it is True, False, or the number of the event that ends the run")
    return count


def _sign(x):
    return (x > 0) - (x < 0)
