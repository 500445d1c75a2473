"""Simulations: runs that are advanced step by step, with inputs that change."""
from . import _library
from ._library import Error


class Names:
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
        except (KeyError, TypeError):
            raise Error(f"the model has no value {name!r}; there are " + ", ".join(self._number)) from None


class Simulation(Names):
    """A run in progress: advance(t), s["x"], s.set("push", 2.0), save and restore. For control and learning: reset(),
    step(dt, push=2.0), observe("x", "der(x)")."""

    def __init__(self, model, settings, on_event=None, start_from=None):
        self._model, self._settings, self._start_from = model, settings, start_from
        self._run = _library.Run(model._library_model(), settings, on_event, start_from)
        self._get = self._run.get
        self._run.start()
        self._take(self._run)
        self.names = list(self._number)
        self.inputs = [name for name, kind in self.kinds.items() if kind == "input"]
        self._first = None

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
        """To time t, or by an interval. True: an event of the model has stopped it."""
        if by is None and t is not None:
            return self._run.advance(t)
        if by is None or t is not None:
            raise Error("advance(t) goes to a time, advance(by=dt) by an interval; give one of them")
        return self._run.advance(self._run.time() + by)

    def step(self, dt=None, **inputs):
        """Sets inputs (and parameters), then advances by dt; without dt by one step of the solver, which the tolerance and max_step
        bound. True: an event of the model has stopped it."""
        for name, value in inputs.items():
            self._run.set(self._find(name), value)
        return self._run.step() if dt is None else self._run.advance(self._run.time() + dt)

    def reset(self, **values):
        """Back to the start, with the inputs and parameters that the model has there and then these values. Returns self."""
        if self._first is None:
            fresh = _library.Run(self._model._library_model(), self._settings, None, self._start_from)
            fresh.start()
            self._first = fresh.save()
        self._run.restore(self._first)
        for name, value in values.items():
            self._run.set(self._find(name), value)
        return self

    def observe(self, *names):
        """Present values of these names, or of all, as an array of NumPy."""
        import numpy

        get = self._get
        return numpy.array([get(self._find(name)) for name in names or self.names])

    def __getitem__(self, name):
        try:
            return self._get(self._number[name])
        except KeyError:
            self._find(name)
            raise

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

    def __reduce__(self):
        return _restored, (self._model, self._settings, self._start_from, self._run.save())

    def __repr__(self):
        return f"<driftless simulation at t = {self.time}>"


def _restored(model, settings, start_from, saved):
    simulation = Simulation(model, settings, None, start_from)
    simulation.restore(saved)
    return simulation
