"""Studies: many runs of one model as a table, and outputs as functions of parameters, for optimizers."""
import csv
import os
import shutil
import tempfile

from . import _library
from ._library import Error

_STATES = ("missing", "completed", "stopped", "failed")


class Study:
    """A row for each case: study["L"] is a column (parameters, then "t", "OUTPUT.final", "OUTPUT.min", ...); `names`, `parameters` and
    `results` are their names; `status` and `messages` say how each case ended, `failed` how many failed; `seconds`, `path` (the file, if one was
    named). study.to_pandas() is a DataFrame, study.sensitivity("OUTPUT.final") has Sobol's indices of the design "saltelli"."""

    def __init__(self, sweep, path, model):
        import numpy

        self.names, count = sweep.columns()
        numbers, states, messages = sweep.rows()
        self.cases, self.done, self.failed, _, self.message, self.seconds, _ = sweep.so_far()
        self.table = numpy.frombuffer(numbers).reshape(self.cases, len(self.names))
        self.parameters, self.results = self.names[:count], self.names[count:]
        self.status = [_STATES[state] for state in states]
        self.messages, self.path = [model._located(message) for message in messages], path
        self._sensitivity = {}
        for number, name in enumerate(self.results if self.done == self.cases else []):
            try:
                first, total = numpy.frombuffer(sweep.sensitivity(number)).reshape(2, count).tolist()
            except Error:  # another design
                break
            self._sensitivity[name] = {"first": dict(zip(self.parameters, first)), "total": dict(zip(self.parameters, total))}

    def __getitem__(self, name):
        if name not in self.names:
            raise Error(f"the study has no column {name!r}; there are {', '.join(self.names)}")
        return self.table[:, self.names.index(name)]

    def __len__(self):
        return self.cases

    def __contains__(self, name):
        return name in self.names

    def __iter__(self):
        return iter(self.names)

    def __repr__(self):
        return f"<driftless study: {self.done} of {self.cases} cases, {self.failed} failed, by {', '.join(self.parameters)}>"

    def _repr_html_(self):
        return self.to_pandas()._repr_html_()

    def to_pandas(self):
        """A DataFrame with a row for each case; "status" and "message" are its last columns."""
        import pandas

        return pandas.DataFrame({**{name: self[name] for name in self.names}, "status": self.status, "message": self.messages},
                                index=pandas.RangeIndex(self.cases, name="case"))

    def sensitivity(self, result):
        """Sobol's indices of a result: {"first": {parameter: part of the variance by it alone}, "total": {... with its interactions}}."""
        if result not in self._sensitivity:
            raise Error(f"there are no sensitivities of {result!r}; " + (
                f"there are those of {', '.join(self.results)}" if self._sensitivity else "they need sweep(..., design='saltelli') with all cases"))
        return self._sensitivity[result]

    def report(self, path):
        """Writes the page with plots of the study; it needs the file of sweep(output=...)."""
        if not self.path:
            raise Error("the page is made from the file of the study: name it by sweep(..., output='study.h5')")
        _library.view(self.path, os.fspath(path))


def sweep(model, over, sample, cases, settings, options, numbers, threads, progress):
    """A Study; see BaseModel.sweep. An exception, such as Ctrl-C, has what there is as its `result`."""
    folder = tempfile.mkdtemp(prefix="driftless-")
    try:
        texts = {name: os.fspath(value) for name, value in options.items() if value is not None}
        kept = texts.get("output") or texts.get("resume")
        if not kept:
            texts["output"] = os.path.join(folder, "study.h5")
        if cases is not None:
            texts["cases"] = _case_file(cases, folder)
        work = _library.Sweep(model._library_model(), over, sample, settings, texts, *numbers)
        try:
            _complete(work, threads, progress)
        except BaseException as failure:
            work.stop()
            while not work.wait(0.05):
                pass
            work.finish()
            failure.result = Study(work, kept, model)
            raise
        study = Study(work, kept, model)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if study.failed == study.cases:
        error = Error(f"all {study.cases} cases have failed; the first: {study.message}")
        error.result = study
        raise error
    return study


def _complete(work, threads, progress):
    work.start(threads)
    while not work.wait(0.05):
        if progress:
            progress(*work.so_far()[1::-1])
    work.finish()
    if progress:
        progress(*work.so_far()[1::-1])


def over_text(name, values):
    """NAME=FIRST:LAST:COUNT, or NAME=A,B,C of a list."""
    if isinstance(values, str):
        return f"{name}={values}"
    try:
        return f"{name}=" + ",".join(repr(float(value)) for value in values)
    except (TypeError, ValueError):
        raise Error(f"over: {name} is {values!r}; give a list of numbers, or a text 'FIRST:LAST:COUNT'") from None


def _case_file(cases, folder):
    """A file of cases; tables (of pandas, or dictionaries of columns) are written as one."""
    if isinstance(cases, (str, os.PathLike)):
        return os.fspath(cases)
    try:
        columns = {str(name): [float(value) for value in cases[name]] for name in cases}
        count = {len(column) for column in columns.values()}
    except (TypeError, ValueError, KeyError, IndexError):
        raise Error("cases: give a file, a DataFrame, or a dictionary of lists of numbers") from None
    if len(count) != 1:
        raise Error("cases: all columns must have the same number of values")
    path = os.path.join(folder, "cases.csv")
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([repr(value) for value in row] for row in zip(*columns.values()))
    return path


class Objective:
    """An output at the end of a run as a function of parameters: f(x) is its value and its gradient, as scipy.optimize.minimize(f, f.start,
    jac=True) wants them. `by` are the names of the values x, `start` the values of the model."""

    def __init__(self, model, of, by, settings):
        if not isinstance(of, str):
            raise Error(f"of is {of!r}; name one output or variable")
        self._model, self._settings = model, settings
        self.of, self.by = of, [by] if isinstance(by, str) else list(by)

    @property
    def start(self):
        import numpy

        first = self._model.start()
        return numpy.array([first[name[8:-1] if name.startswith("initial(") else name] for name in self.by])

    def __call__(self, x):
        import numpy

        x = numpy.atleast_1d(numpy.asarray(x, dtype=float))
        if x.shape != (len(self.by),):
            raise Error(f"x has shape {x.shape}; it has one value for each of {', '.join(self.by)}")
        found = self._model.with_values(**dict(zip(self.by, x.tolist()))).gradient(self.of, self.by, **self._settings)
        return found.values[self.of], found.matrix[0]

    def __repr__(self):
        return f"<{self.of} and its gradient by {', '.join(self.by)}>"
