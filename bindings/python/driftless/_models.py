"""Models: what can be done with them. `load` reads scripts; Model (_writing.py) is written in Python."""
import json
import os
import re

from . import _analyses, _library, _studies
from ._library import Error
from ._results import Result
from ._simulation import Simulation


def load(path, *, input=None, allow_fmu=False, **values):
    """A model from a script. Values are those of parameters, inputs and settings; names that Python does
    not take, such as initial(x), go into a dictionary: load(path, **{"initial(x)": 0.3}).
    input={"push": "file.csv:column"} lets inputs follow files; allow_fmu=True lets fmu(...) in the script start
    libraries of FMUs, which no sandbox keeps from anything."""
    return Script(os.fspath(path), None, values, input or {}, allow_fmu=allow_fmu)


def loads(text, name="model.lua", *, input=None, allow_fmu=False, **values):
    """A model from the text of a script; `name` is used in messages."""
    return Script(name, text, values, input or {}, allow_fmu=allow_fmu)


def texts(values):
    """NAME=VALUE for the library."""
    return tuple(f"{name}={_text(name, value)}" for name, value in values.items() if value is not None)


def _text(name, value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    try:
        return repr(float(value))
    except (TypeError, ValueError):
        raise Error(f"{name}: {value!r} is neither a number nor a text") from None


def function_or_none(on_event):
    if on_event is not None and not callable(on_event):
        raise Error(f"on_event is {on_event!r}; give a function on_event(number, direction, t)")
    return on_event


def pairs(values):
    """'NAME=VALUE,...' of a dictionary; texts stay as they are."""
    if isinstance(values, dict):
        return ",".join(texts(values))
    if values is not None and not isinstance(values, str):
        raise Error(f"{values!r} is no point; give values {{'x': 0.1}}, 'equilibrium', or the time 't=2' of a run")
    return values


def listed(names):
    """'A,B' of a list; texts stay as they are."""
    return names if names is None or isinstance(names, str) else ",".join(names)


class BaseModel:
    """What all models can do."""

    def __init__(self, name, values, input, allow_fmu=False):
        self._name, self._values, self._input = name, dict(values), dict(input)
        self._allow_fmu = bool(allow_fmu)
        self._loaded = None
        self._where = ()  # (file, line) in Python of every line of the script

    def __repr__(self):
        return f"<driftless model {self._name!r}>"

    def _set(self):
        return texts(self._values)

    def _inputs(self):
        return texts(self._input)

    def _library_model(self):
        if self._loaded is None:
            self._loaded = self._work(self._load)
        return self._loaded

    def _work(self, function, *arguments):
        """Calls the library; messages name lines of Python where the model was written in Python."""
        try:
            return function(*arguments)
        except Error as error:
            if self._where and error.args:
                error.args = (self._located(str(error.args[0])), *error.args[1:])
            raise

    def _located(self, message):
        def place(number):
            return self._where[number - 1] if 0 < number <= len(self._where) else None

        def start(match):
            at = place(int(match.group(1)))
            return f"{_shown(at[0])}:{at[1]}: " if at else match.group()

        def line(match):
            at = place(int(match.group(1)))
            return f"line {at[1]}" + ("" if at[0] == self._name else f" of {_shown(at[0])}") if at else match.group()

        message = re.sub(r"\bline (\d+)\b", line, message)
        return re.sub(r"^" + re.escape(self._name) + r":(\d+): ", start, message)

    def with_values(self, **values):
        """The same model with other values of parameters and inputs."""
        raise NotImplementedError

    def _frozen(self):
        """The model as it is now; results and simulations keep it."""
        return self

    # ---- runs

    def run(self, output=None, *, page=False, on_event=None, start_from=None, **settings):
        """Simulates to the end. Settings are those of simulate{}: to, rtol, atol, every, form, method, ...;
        `output` names files: .csv, .h5, .html or .svg. `page`: the page with plots and animation is made during the run
        (otherwise the run is repeated when it is wanted). on_event(number, direction, t) is called at events of the model, counted from 0. `start_from`
        is a file with a state. A run that fails raises Error; what there is of it is the error's `result`."""
        return self._work(self._run, output, page, on_event, start_from, settings)

    def _run(self, output, page, on_event, start_from, settings):
        run = _library.Run(self._library_model(), texts(settings), function_or_none(on_event), start_from)
        run.keep()
        if page:
            run.keep_page()
        outputs = () if output is None else (output,) if isinstance(output, (str, os.PathLike)) else output
        if not isinstance(outputs, (tuple, list)):
            raise Error(f"output={output!r}: name a file, or a list of files; the end time is run(to=...)")
        for file in outputs:
            run.write(os.fspath(file))
        again = (self._frozen(), {**settings, "start_from": start_from})
        try:
            run.start()
            run.finish()
        except (Exception, KeyboardInterrupt) as failure:
            failure.result = Result(run, again)
            raise
        return Result(run, again)

    def start(self, *, on_event=None, start_from=None, **settings):
        """A simulation at its consistent start, to be advanced step by step."""
        return self._work(lambda: Simulation(self._frozen(), texts(settings), function_or_none(on_event), start_from))

    def compare(self, other, **settings):
        """Runs this model and another one (or this one with other values, a dictionary) with the same settings; see
        driftless.compare."""
        from ._results import compare

        other = self.with_values(**other) if isinstance(other, dict) else other
        return compare(self.run(**settings), other.run(**settings))

    # ---- what a model is

    def check(self, *, start_from=None, **settings):
        """Degrees of freedom, redundant constraints, the start: as `driftless check`. A dictionary (its JSON) that
        prints as text; verdict "ready to run" means that it can be run."""
        found, text, _ = self._work(self._checked, False, settings, start_from)
        return Report(found, text)

    def init(self, *, start_from=None, **settings):
        """The consistent start, as `driftless init`: a dictionary; `lua` has it as initial{...}."""
        found, text, lua = self._work(self._checked, True, settings, start_from)
        return Report(found, text, lua)

    def _checked(self, only_start, settings, start_from):
        found, text, lua = self._library_model().checked(only_start, texts(settings), start_from)
        return json.loads(found), text, lua

    def equations(self, form="text", *, frames=False):
        """The equations of motion as "text", a "latex" document, "c" (a file of C99) or "sympy" (text that
        sympy.sympify takes: a dictionary of lists). `frames`: the kinematics of bodies and frames."""
        if form == "c":
            return self._work(self._library_model().export_c)
        if form not in ("text", "latex", "sympy"):
            raise Error(f"equations({form!r}): choose from 'text', 'latex', 'c', 'sympy'")
        text = self._work(lambda: self._library_model().equations(form == "latex", frames))
        return _analyses.sympy_texts(text) if form == "sympy" else text

    # ---- analyses

    def _near(self, search, at, steady, inputs, outputs, settings):
        return self._work(lambda: _library.Near(self._library_model(), search, texts(settings), pairs(at), listed(steady),
                                                listed(inputs), listed(outputs)))

    def equilibrium(self, *, at=None, steady=None, **settings):
        """A state of rest near the start or the values of `at` (or a steady motion in which the speeds of the coordinates in
        `steady` are kept), and whether it is stable."""
        return _analyses.Equilibrium(self._near(True, at, steady, None, None, settings))

    def linearize(self, *, at=None, steady=None, inputs=None, outputs=None, **settings):
        """y' = A y + B u, outputs = C y + D u near the start, near values `at` ({"x": 0.1}), at "equilibrium", or at the time
        "t=2" of a run."""
        return _analyses.Linear(self._near(False, at, steady, inputs, outputs, settings))

    def modes(self, *, at=None, steady=None, **settings):
        """Eigenvalues, frequencies, damping ratios and shapes near a state."""
        return self.linearize(at=at, steady=steady, **settings).modes()

    def response(self, omega, *, at=None, steady=None, inputs=None, outputs=None, **settings):
        """The frequency response at the frequencies omega (rad/s): a complex array [frequency, output, input]."""
        return self.linearize(at=at, steady=steady, inputs=inputs, outputs=outputs, **settings).response(omega)

    def lqr(self, state_weight, input_weight=None, *, at=None, steady=None, inputs=None, **settings):
        """State feedback u = -K y that minimizes the integral of weighted squares; weights are dictionaries by name."""
        return self.linearize(at=at, steady=steady, inputs=inputs, **settings).lqr(state_weight, input_weight)

    def inverse(self, **settings):
        """The drives with which the model follows the motions that it prescribes."""
        return _analyses.Followed(self._work(lambda: self._library_model().inverse(texts(settings))))

    def gradient(self, of=None, by=None, *, derivatives=None, error_control=None, **settings):
        """How outputs or variables `of` at the end of a run (all outputs if none are named) change with parameters, inputs and
        initial values `by` ("initial(x)"; all parameters if none are named).

        derivatives     "direct", beside the state, or "adjoint", one sweep backwards; None: what suits
        error_control   "state": steps for the state alone; None: for the derivatives, too"""
        names = () if of is None else (of,) if isinstance(of, str) else tuple(of)
        return _analyses.Gradient(self._task("gradient", settings, names, by=listed(by), derivatives=derivatives, error_control=error_control))

    def value_and_gradient(self, of, by, **settings):
        """An output or variable at the end of a run as a function of parameters `by`, with its gradient, for optimizers:
        f = m.value_and_gradient("miss", ["angle", "speed"]); scipy.optimize.minimize(f, f.start, jac=True)."""
        return _studies.Objective(self._frozen(), of, by, settings)

    def sweep(self, over=None, *, sample=None, cases=None, count=0, seed=0, design=None, columns=None, output=None, resume=None, replace=False, threads=0,
              case_seconds=0, case_memory=0, progress=None, **settings):
        """Many runs on all processors (or `threads`), as `driftless sweep`: a Study, whose to_pandas() is a table with a row for each case.

        over        {"L": [1, 2, 3]} or {"L": "1:3:5"}, also of arrays; several names: all combinations
        sample      {"k": "normal(1,0.02)"}: `count` samples (100) of distributions, with `seed`, by `design` "random", "lhs", "sobol", "saltelli"
        cases       a file FILE.csv, a DataFrame or a dictionary of columns: a row for each case
        columns     what is kept: names of outputs and variables; all outputs if none are named
        output      the file FILE.h5 of the study, which is kept then; replace=True: a study that it has is lost; resume=FILE.h5 goes on with one
        progress    a function progress(done, cases), called while runs are under way

        Settings are those of run. Ctrl-C ends it; the exception's `result` has the cases that were done."""
        over = tuple(_studies.over_text(name, values) for name, values in (over or {}).items())
        options = {"design": design, "columns": listed(columns), "output": output, "resume": resume}
        return self._work(_studies.sweep, self, over, texts(sample or {}), cases, texts(settings), options,
                          (float(count), float(seed), float(case_seconds), float(case_memory), bool(replace)), int(threads), progress)

    def optimum(self, *, algorithm=None, derivatives=None, starts=0, bootstrap=0, seed=0, threads=0, **settings):
        """What optimize{} of the model wants, as `driftless optimize`: a dictionary with "best", "objective", "start", ...

        algorithm   "lm", "bfgs" or one of NLopt; None: what suits
        derivatives "direct" or "adjoint", as in gradient
        starts      searches from so many places within the bounds
        bootstrap   of a fit: so many fits to resampled residuals, by `seed`, for intervals of 95 %: "bootstrap" has "low" and "high"
        threads     how many of these searches run at once; 0: as many as there are processors"""
        numbers = {"starts": starts, "bootstrap": bootstrap, "seed": seed, "threads": threads}
        return self._task("optimize", settings, algorithm=algorithm, derivatives=derivatives, **{name: float(value) for name, value in numbers.items()})

    def analyse(self, name, *, of=(), **options):
        """What a command of the program finds: "modes", "linearize", ..., as a dictionary (its JSON) that prints as text. Options are
        those of the command that are texts (at, steady, inputs, outputs, over, along, by, state_weight, input_weight,
        start_from) and settings."""
        known = ("at", "steady", "inputs", "outputs", "over", "along", "by", "state_weight", "input_weight", "start_from")
        own = {key: pairs(options.pop(key)) for key in known if key in options}
        return self._task(name, options, of, **{key: listed(value) for key, value in own.items()})

    def _task(self, name, settings, of=(), **given):
        given = {key: value for key, value in given.items() if value is not None}
        found, text, note, completed = self._work(lambda: self._library_model().task(name, texts(settings), given, of))
        found = json.loads(found)
        if not completed:
            raise Error((found.get("message") if isinstance(found, dict) else None) or note or f"{name}: not completed")
        return Report(found if isinstance(found, dict) else {"list": found}, text)


class Script(BaseModel):
    """A model from a script."""

    def __init__(self, path, text, values, input, where=(), allow_fmu=False):
        super().__init__(path, values, input, allow_fmu)
        self._script, self._where = text, where
        self._library_model()

    def _load(self):
        return _library.Model(self._name, self._script, self._set(), self._inputs(), bool(self._where), self._allow_fmu)

    def __reduce__(self):
        return Script, (self._name, self.script(), self._values, self._input, self._where, self._allow_fmu)

    def with_values(self, **values):
        return Script(self._name, self._script, {**self._values, **values}, self._input, self._where, self._allow_fmu)

    def script(self):
        """The text of the script."""
        if self._script is None:
            with open(self._name, encoding="utf-8") as file:
                return file.read()
        return self._script


class Report(dict):
    """What was found, by the names of the program's JSON; str(report) is its text."""

    def __init__(self, found, text, lua=None):
        super().__init__(found)
        self.text, self.lua = text, lua

    def __str__(self):
        return self.text

    def __reduce__(self):
        return Report, (dict(self), self.text, self.lua)

    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(f"the report has no {name!r}; there are {', '.join(self)}")


def _shown(file):
    """A path as people would write it here."""
    if file.startswith("<ipython-input") or os.path.basename(os.path.dirname(file)).startswith("ipykernel_"):
        return "notebook cell"
    here = os.path.relpath(file) if os.path.isabs(file) and os.path.exists(file) else file
    return file if here.startswith("..") else here
