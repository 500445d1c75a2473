"""Results: the rows of a run, or of a file that the program has written."""
import html as _html
import json as _json
import os as _os
import shutil as _shutil
import tempfile as _tempfile

from . import _library
from ._library import Error
from ._simulation import Names

_SOON = 5.0  # s: runs that are repeated without asking, to show them


class Table(Names):
    """Columns over time: table["x"], table.x, table.t; what runs and files have in common."""

    def __getattr__(self, name):
        if name.startswith("_") or name not in self.__dict__.get("names", ()):
            raise AttributeError(f"a result has no attribute {name!r}")
        return self[name]

    def __dir__(self):
        return sorted({*super().__dir__(), *(name for name in self.names if name.isidentifier())})

    def __contains__(self, name):
        return name in self.names

    def __iter__(self):
        return iter(self.names)

    def __repr__(self):
        return f"<driftless result: {self.status}, {len(self)} rows of {', '.join(self.names)}>"

    def _column(self, name):
        """The number of a column."""
        number = self._find(name)
        if number >= len(self.names):
            raise Error(f"{name!r} is an input or a parameter; results have {', '.join(self.names)}")
        return number

    def to_pandas(self):
        """A DataFrame with the time as index."""
        import pandas

        return pandas.DataFrame({name: self[name] for name in self.names}, index=pandas.Index(self.t, name="time"))

    def plot(self, *names, ax=None, **how):
        """Draws columns over time (all variables and outputs, or these names) with Matplotlib; returns the axes."""
        import matplotlib.pyplot as plt

        columns = [self[name] for name in names or self.names]
        ax = ax or plt.subplots()[1]
        for name, column in zip(names or self.names, columns):
            unit = self.units.get(name)
            ax.plot(self.t, column, label=f"{name} in {unit}" if unit else name, **how)
        ax.set_xlabel("time in s")
        ax.legend()
        return ax

    def at(self, t):
        """Values of all columns at a time, a dictionary; linear between rows."""
        import numpy

        if not self.t[0] <= t <= self.t[-1]:
            raise Error(f"t = {t} is outside the result, which goes from {self.t[0]} to {self.t[-1]}")
        return {name: float(numpy.interp(t, self.t, self[name])) for name in self.names}

    @property
    def page(self):
        """The page with plots and animation, as a text of HTML."""
        raise NotImplementedError

    def report(self, path):
        """Writes the page with plots and animation (.html), or a plot (.svg)."""
        raise NotImplementedError

    def show(self):
        """Shows the page: in a notebook below the cell, else in the browser. Returns nothing."""
        if _in_notebook():
            from IPython.display import HTML, display

            display(HTML(_frame(self.page)))
            return
        import webbrowser

        with _tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
            file.write(self.page)
        webbrowser.open("file://" + file.name)

    def _repr_html_(self):
        page = self._quick_page()
        return _frame(page) if page else f"<pre>{_html.escape(repr(self))}</pre>"

    def _quick_page(self):
        return self.page


class Result(Table):
    """The rows of a run. result["x"] is a column, result.x the same where the name allows it; t, names, units, table,
    status, message, residuals, summary (the JSON of the program)."""

    def __init__(self, run, again=None):
        data, rows, columns = run.rows()
        self._take(run)
        self.names = [name for name, kind in self.kinds.items() if kind not in ("input", "param")]
        self._data, self._shape, self._again = data, (rows, columns), again
        self._page, self._table = run.page(), None
        self.summary = _json.loads(run.summary() or "{}")
        self.text = run.text() or ""
        self.status = self.summary.get("status")
        self.message = self.summary.get("message")
        self.residuals = self.summary.get("max_residual")
        self.events = (self.summary.get("events") or {}).get("first", [])

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_table"] = None
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)

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
        return self.table[:, 1 + self._column(name)]

    def __len__(self):
        return self._shape[0]

    # ---- files and pages: the same run again, with the same bits

    def _repeat(self, **more):
        model, settings = self._again
        try:
            return model.run(**settings, **more)
        except Error as failure:  # as the first time
            if getattr(failure, "result", None) is None:
                raise
            return failure.result

    def save(self, path):
        """Writes the rows: .h5 (everything, read by driftless.open), .csv or .npz. The run is repeated for .h5, with the
        same bits."""
        path = _os.fspath(path)
        if path.endswith(".npz"):
            import numpy

            numpy.savez(path, time=self.t, **{name: self[name] for name in self.names})
        elif path.endswith((".h5", ".hdf5", ".csv")):
            self._repeat(output=path)
        else:
            raise Error(f"save: {path!r} must end in .h5, .csv or .npz")

    @property
    def page(self):
        """The page with plots and animation, as a text of HTML; the run is repeated for it unless it was run(page=True)."""
        if self._page is None:
            self._page = self._repeat(page=True)._page
        return self._page

    def report(self, path):
        """Writes the page with plots and animation (.html), or a plot (.svg)."""
        path = _os.fspath(path)
        if path.endswith(".svg"):
            self._repeat(output=path)
            return
        if not path.endswith(".html"):
            raise Error(f"report: {path!r} must end in .html or .svg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.page)

    def _quick_page(self):
        return self.page if self._page or self.summary.get("seconds", 0) < _SOON else None


class Stored(Table):
    """A result file (.h5) of the program; columns are read when they are used. After close(), or a `with`, only what was
    read is there."""

    def __init__(self, path):
        import h5py

        self._path, self._columns, self._closed = _os.path.abspath(path), {}, False
        if not _os.path.exists(self._path):
            raise Error(f"{path}: there is no such file")
        try:
            with h5py.File(self._path, "r") as file:
                self._describe(file, file["meta"])
        except (OSError, KeyError) as failure:
            raise Error(f"{self._path}: this is not a result of driftless: {failure}") from None

    def _describe(self, file, meta):
        states, outputs = _strings(meta["names/state"]), _strings(meta["names/outputs"])
        units = _strings(meta["names/units"]) + _strings(file["outputs"].attrs["units"])
        self.status, self.message = _string(meta["status"]), _string(meta["message"]) or None
        self.names = states + outputs
        self.units = dict(zip(self.names, units))
        self._number = {name: i for i, name in reversed(list(enumerate(self.names)))}
        self._states = len(states)
        self.model, self.script = _string(meta["model"]), _string(meta["text"])
        self.parameters = dict(zip(_strings(meta["parameters/names"]), meta["parameters/values"][()].tolist()))
        residuals = zip(_strings(meta["names/residuals"]), meta["statistics/max_residual"][()].tolist())
        self.residuals = {name: value if value == value else None for name, value in residuals}

    def _read(self, key, column=None):
        import h5py

        if (key, column) not in self._columns:
            if self._closed:
                raise Error(f"{self._path} is closed")
            with h5py.File(self._path, "r") as file:
                self._columns[key, column] = file[key][()] if column is None else file[key][:, column]
        return self._columns[key, column]

    @property
    def t(self):
        return self._read("time")

    def __getitem__(self, name):
        number = self._column(name)
        return self._read("state", number) if number < self._states else self._read("outputs", number - self._states)

    @property
    def table(self):
        """All rows: time, then the columns of `names`."""
        import numpy

        return numpy.column_stack([self.t, *(self[name] for name in self.names)])

    def __len__(self):
        return len(self.t)

    def close(self):
        """Reads nothing from here on."""
        self._closed = True

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.close()

    def __reduce__(self):
        return Stored, (self._path,)

    def save(self, path):
        """Copies the file."""
        _shutil.copyfile(self._path, path)

    def report(self, path):
        """Writes the page with plots and animation (.html), or a plot (.svg)."""
        _library.view(self._path, _os.fspath(path))

    @property
    def page(self):
        """The page with plots and animation, as a text of HTML."""
        with _tempfile.TemporaryDirectory() as folder:
            path = _os.path.join(folder, "page.html")
            self.report(path)
            with open(path, encoding="utf-8") as file:
                return file.read()


def open_result(path):
    """A result file (.h5) of the program or of result.save; columns are read when they are used."""
    return Stored(path)


class Comparison:
    """How two results differ: `difference` has the largest absolute difference of each column that both have, `at` its time,
    `only` the names that one of them has."""

    def __init__(self, a, b):
        import numpy

        if len(a) < 2 or len(b) < 2:
            raise Error("compare: both results need rows")
        first, last = max(a.t[0], b.t[0]), min(a.t[-1], b.t[-1])
        if first > last:
            raise Error("compare: the results have no times in common")
        same = len(a) == len(b) and numpy.array_equal(a.t, b.t)
        t = a.t if same else numpy.array([s for s in a.t if first <= s <= last])
        self.interpolated, self.difference, self.at = not same, {}, {}
        for name in a.names:
            if name in b:
                x, y = (a[name], b[name]) if same else (numpy.interp(t, a.t, a[name]), numpy.interp(t, b.t, b[name]))
                gap = numpy.where(x == y, 0.0, numpy.abs(x - y))
                gap[numpy.isnan(x) & numpy.isnan(y)] = 0.0
                worst = int(numpy.nanargmax(gap)) if not numpy.isnan(gap).all() else 0
                self.difference[name], self.at[name] = float(gap[worst]), float(t[worst])
        self.only = sorted(set(a.names) ^ set(b.names))
        self.largest = max(self.difference.values(), default=float("nan"))
        self.identical = same and not self.only and self.largest == 0

    def __bool__(self):
        raise Error("a comparison is neither true nor false: ask .identical, or .largest < tolerance")

    def __repr__(self):
        lines = [f"{name:24} {gap:12.4g} at t = {self.at[name]:.6g}" for name, gap in self.difference.items()]
        return "\n".join(["largest differences" + (", interpolated" if self.interpolated else ""), *lines])


def compare(a, b):
    """How two results (of runs or of files) differ, column by column; between rows they are linear."""
    for it in (a, b):
        if not isinstance(it, Table):
            raise Error(f"compare: {it!r} is not a result; give what run or open returns")
    return Comparison(a, b)


def _strings(data):
    values = data[()] if hasattr(data, "dtype") else data
    return [value.decode() if isinstance(value, bytes) else str(value) for value in values]


def _string(data):
    value = data[()]
    return value.decode() if isinstance(value, bytes) else str(value)


def _frame(page):
    return f'<iframe srcdoc="{_html.escape(page)}" style="width: 100%; height: 620px; border: 1px solid #ccc"></iframe>'


def _in_notebook():
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and shell.__class__.__name__ == "ZMQInteractiveShell"
