"""Simulate mechanical systems tied together by constraints, without drifting off them.

    import driftless
    m = driftless.load("pendulum.lua", g=1.62)
    r = m.run(to=10, every=0.01, rtol=1e-8)
    r.t, r["x"], r.names, r.status, r.residuals

    s = m.start(rtol=1e-8)              # step by step, with inputs that change
    s.set("push", 2.0)
    s.advance(by=0.01)
    s["x"], s.time
    b = s.save(); s.advance(1.0); s.restore(b)

NumPy, pandas and Matplotlib are imported only when they are used.
"""
import json as _json
import os as _os

from . import _library
from ._library import Error

__all__ = ["Error", "Model", "Result", "Simulation", "load", "loads"]


def load(path, *, input=None, **values):
    """A model from a script. Values are those of parameters, inputs and settings; names that Python does
    not take, such as initial(x), go into a dictionary: load(path, **{"initial(x)": 0.3}).
    input={"push": "file.csv:column"} lets inputs follow files."""
    return Model(_os.fspath(path), None, values, input or {})


def loads(text, name="model.lua", **values):
    """A model from the text of a script; `name` is used in messages."""
    return Model(name, text, values, {})


def _texts(values):
    return tuple(f"{name}={_text(value)}" for name, value in values.items() if value is not None)


def _text(value):
    if isinstance(value, (bool, str)):
        return str(value).lower() if isinstance(value, bool) else value
    return repr(float(value))


class Model:
    """A script with its values."""

    def __init__(self, path, text, values, input):
        self._made_of = (path, text, dict(values), dict(input))
        self._model = _library.Model(path, text, _texts(values), _texts(input))

    def __reduce__(self):
        return Model, self._made_of

    def __repr__(self):
        return f"<driftless model {self._made_of[0]!r}>"

    def run(self, output=None, **settings):
        """Simulates to the end. Settings are those of simulate{}: to, rtol, atol, every, form, method, ...;
        `output` names a file, .csv or .h5. A run that fails raises Error; what there is of it is the
        error's `result`."""
        run = _library.Run(self._model, _texts(settings))
        run.keep()
        if output is not None:
            run.write(_os.fspath(output))
        try:
            run.start()
            run.finish()
        except (Error, KeyboardInterrupt) as failure:
            failure.result = Result(run)
            raise
        return Result(run)

    def start(self, **settings):
        """A simulation at its consistent start, to be advanced step by step."""
        return Simulation(self._model, settings)


class _Names:
    """Numbers of values by name."""

    def _take(self, run):
        values = run.values()
        self._number = {}
        for number, (name, _, _) in enumerate(values):
            self._number.setdefault(name, number)
        self.units = {name: unit for name, unit, _ in values}
        self.kinds = {name: kind for name, _, kind in values}

    def _find(self, name):
        try:
            return self._number[name]
        except KeyError:
            raise Error(f"the model has no value {name!r}; there are " + ", ".join(self._number)) from None


class Simulation(_Names):
    """A run in progress."""

    def __init__(self, model, settings):
        self._run = _library.Run(model, _texts(settings))
        self._run.start()
        self._take(self._run)
        self.names = list(self._number)

    @property
    def time(self):
        return self._run.time()

    @property
    def energy(self):
        """NaN if it is unknown."""
        return self._run.energy()

    @property
    def residuals(self):
        """How far the state is from the constraints of each level."""
        return self._run.residuals()

    def advance(self, t=None, *, by=None):
        """To time t, or by an interval. True: an event of the script has stopped it."""
        if (t is None) == (by is None):
            raise Error("advance(t) goes to a time, advance(by=dt) by an interval; give one of them")
        return self._run.advance(self._run.time() + by if t is None else t)

    def step(self):
        """One step of the solver."""
        return self._run.step()

    def __getitem__(self, name):
        return self._run.get(self._find(name))

    def __setitem__(self, name, value):
        self.set(name, value)

    def set(self, name, value):
        """Sets an input or a parameter, from now on."""
        self._run.set(self._find(name), value)

    def values(self, names=None):
        """Present values as a dictionary."""
        return {name: self[name] for name in (names if names is not None else self.names)}

    def save(self):
        """The complete state as bytes."""
        return self._run.save()

    def restore(self, saved):
        """Goes on from saved bytes: with the same bits until the next switch or impact."""
        self._run.restore(saved)

    def cancel(self):
        """Stops it while it advances in another thread."""
        self._run.cancel()


class Result(_Names):
    """The rows of a run. result["x"] is a column, result.x the same where the name allows it."""

    def __init__(self, run):
        data, rows, columns = run.rows()
        self._take(run)
        self.names = [name for name, kind in self.kinds.items() if kind not in ("input", "param")]
        self._data, self._shape = data, (rows, columns)
        self.summary = _json.loads(run.summary() or "{}")
        self.status = self.summary.get("status")
        self.message = self.summary.get("message")
        self.residuals = self.summary.get("max_residual")
        self._table = None

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_table"] = None
        return state

    @property
    def table(self):
        """All rows: time, then the columns of `names`."""
        if self._table is None:
            import numpy

            self._table = numpy.frombuffer(self._data).reshape(self._shape)
        return self._table

    @property
    def t(self):
        return self.table[:, 0]

    def __getitem__(self, name):
        number = self._find(name)
        if number >= len(self.names):
            raise Error(f"{name!r} is an input or a parameter; results have {', '.join(self.names)}")
        return self.table[:, 1 + number]

    def __getattr__(self, name):
        if name.startswith("_") or name not in self.__dict__.get("names", ()):
            raise AttributeError(f"a result has no attribute {name!r}")
        return self[name]

    def __len__(self):
        return self._shape[0]

    def __contains__(self, name):
        return name in self.names

    def __iter__(self):
        return iter(self.names)

    def __repr__(self):
        return f"<driftless result: {self.status}, {len(self)} rows of {', '.join(self.names)}>"

    def to_pandas(self):
        """A DataFrame with the time as index."""
        import pandas

        return pandas.DataFrame(self.table[:, 1:], index=pandas.Index(self.t, name="time"), columns=self.names)

    def plot(self, *names, ax=None):
        """Draws columns over time with Matplotlib; returns the axes."""
        import matplotlib.pyplot as plt

        ax = ax or plt.subplots()[1]
        for name in names or self.names:
            ax.plot(self.t, self[name], label=name)
        ax.set_xlabel("time in s")
        ax.legend()
        return ax
