"""Models written in Python: the calls of the model language as methods."""
import difflib
import os
import re
import sys

from . import _library
from ._library import Error
from ._models import BaseModel, Script
from ._symbols import FUNCTIONS, Symbol, lua_text, pi, scope_of

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_CONSTANTS = ("ground", "time")
_AS_MANY_AS_ARGUMENTS = ("position", "velocity", "acceleration", "speed")
_AS_MANY_AS_NAMES = ("dynamic", "auxiliary", "contact")
_NOTHING = frozenset(
    "kinematics kinetic potential mass force quasistatic motion invariant output unit initial guess simulate optimize study gravity "
    "planar event sample".split())
_SHAPES = ("point", "line", "spring", "box", "cylinder", "sphere", "frame", "mesh", "none")
_names = None


def language():
    """The names of the calls, functions and symbols of the model language, as a frozenset."""
    global _names
    if _names is None:
        _names = frozenset(_library.language_names().split())
    return _names


class Model(BaseModel):
    """A model written in Python. Its methods are the calls of the model language (docs/language.md) with the same names:

        m = dl.Model()
        L = m.param("L", 1, "m")
        x, y = m.position("x", "y")
        m.mass(x, 1), m.mass(y, 1)
        m.force(y, -9.81)
        m.constraint("rod", x**2 + y**2 - L**2)
        m.initial(x=1, y=0)
        r = m.run(to=2, every=0.01)

    Tables of options are dictionaries or keywords (a name that is a keyword of Python gets an underscore: from_=...), lists
    are lists, functions are functions. Values replace those of parameters, inputs and settings, as in `load`.
    Files are looked for below the folder of the calling script."""

    def __init__(self, name=None, *, input=None, allow_fmu=False, **values):
        caller = _caller()
        if name is None:
            name = caller[0] if os.path.isfile(caller[0]) else "model"
        name = os.fspath(name)
        super().__init__(name, values, input or {}, allow_fmu)
        self._builder = _library.Builder(name, self._set(), self._inputs(), self._allow_fmu)
        self._where = []  # (file, line) of every line of the script
        self._labels = {}  # of results, for people
        self._inside = None  # the function that is being written
        self._asked = set()  # settings that were asked for

    # ---- calls

    def __getattr__(self, name):
        if name.startswith("_") or name not in language():
            near = difflib.get_close_matches(name, language(), 1)
            raise AttributeError(f"a model has no call {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        if name in FUNCTIONS:
            return FUNCTIONS[name]
        if name in _CONSTANTS:
            return Symbol(self, name)
        if name == "draw":
            return _Drawing(self)
        return _Call(self, name)

    def __dir__(self):
        return sorted({*super().__dir__(), *language()})

    pi = pi

    def setting(self, name, value):
        """A number that the model is built with, such as a count; its value is the given one, or that of Model(...)."""
        self._call("setting", (name, value), {})
        self._asked.add(name)
        given = self._values.get(name, value)
        return int(given) if isinstance(value, int) and float(given) == int(given) else given

    def script(self):
        """The model as a script of the model language."""
        return self._builder.script()

    def _call(self, name, arguments, options, method=None):
        arguments = list(arguments)
        if options:
            options = {key[:-1] if key.endswith("_") else key: value for key, value in options.items()}
            if arguments and isinstance(arguments[-1], dict):
                options = {**arguments.pop(), **options}
            arguments.append(options)
        scope = scope_of(arguments, self)
        texts = [lua_text(self, argument) for argument in arguments]
        if scope:  # inside a function, of its arguments
            return Symbol(self, f"{name}({', '.join(texts)})", 1, scope)
        if name in _NOTHING or name.startswith("draw."):
            self._line(None, name, texts)
            return None
        count = _results(name, arguments)
        names = [f"_{len(self._where) + 1}"] if count == 1 else [f"_{len(self._where) + 1}_{i + 1}" for i in range(count)]
        self._line(", ".join(names), name, texts)
        for i, result in enumerate(names):
            self._labels[result] = _label(self, name, arguments, texts, i, count)
        symbols = tuple(Symbol(self, result) for result in names)
        return symbols[0] if count == 1 else symbols

    def _line(self, result, name, texts):
        self._where.append(_caller())
        try:
            self._work(self._builder.call, result, name, texts)
        except BaseException:  # the call is left out
            self._where.pop()
            raise
        self._loaded = None

    def _name_expression(self, text, scope):
        if scope:
            return scope.name(text)
        name = f"_{len(self._where) + 1}"
        self._line(name, None, (text,))
        self._labels[name] = text
        return name

    def _readable(self, text):
        def label(match):
            known = self._labels.get(match.group())
            return match.group() if known is None else self._readable(known) if len(known) < 2000 else "..."

        text = re.sub(r"\b_\d+(_\d+)?\b", label, text)
        return text[1:-1] if _is_bracketed(text) else text

    # ---- loading

    def _load(self):
        return _library.Model(self._name, self._builder.script(), self._set(), self._inputs(), True, self._allow_fmu)

    def __reduce__(self):
        return Script, (self._name, self._builder.script(), self._values, self._input, tuple(self._where), self._allow_fmu)

    def _frozen(self):
        self._library_model()
        script = Script.__new__(Script)
        BaseModel.__init__(script, self._name, self._values, self._input, self._allow_fmu)
        script._script, script._where, script._loaded = self._builder.script(), tuple(self._where), self._loaded
        return script

    def with_values(self, **values):
        """The same model with other values of parameters and inputs."""
        self._check_settings(values)
        return Script(self._name, self._builder.script(), {**self._values, **values}, self._input, tuple(self._where),
                      self._allow_fmu)

    def _check_settings(self, values):
        wrong = self._asked.intersection(values)
        if wrong:
            raise Error(f"{min(wrong)!r} is a setting that the model was built with; build it again with Model({min(wrong)}=...)")


class _Call:
    __slots__ = ("_model", "_name")

    def __init__(self, model, name):
        self._model, self._name = model, name

    def __call__(self, *arguments, **options):
        return self._model._call(self._name, arguments, options)

    def __repr__(self):
        return f"<call {self._name} of the model language>"


class _Drawing:
    """draw.point, draw.line, ..."""

    def __init__(self, model):
        self._model = model

    def __getattr__(self, name):
        if name not in _SHAPES:
            near = difflib.get_close_matches(name, _SHAPES, 1)
            raise AttributeError(f"there is no draw.{name}" + (f"; did you mean draw.{near[0]}?" if near else ""))
        return _Call(self._model, f"draw.{name}")

    def __dir__(self):
        return list(_SHAPES)


def _results(name, arguments):
    """How many values a call returns."""
    options = arguments[-1] if arguments and isinstance(arguments[-1], dict) else {}
    if name in _AS_MANY_AS_ARGUMENTS:
        return max(1, len(arguments))
    if name in _AS_MANY_AS_NAMES:
        count = 0
        while count < len(arguments) and isinstance(arguments[count], str):
            count += 1
        return max(1, count)
    if name in ("contact_curves", "contact_surfaces"):
        each = 1 if name == "contact_curves" else 2
        return 1 + (each if "at" in options else 2 * each)
    if name == "contact_wheel":
        return 3
    if name == "joint" and "residual" in options:
        coordinates = options.get("coordinates", 1)
        return max(1, coordinates if isinstance(coordinates, int) else len(coordinates))
    return 1


def _label(model, name, arguments, texts, number, count):
    """What a result is called when it is shown."""
    if arguments and isinstance(arguments[0], str):
        same = count > 1 and number < len(arguments) and isinstance(arguments[number], str)
        return arguments[number] if same else arguments[0] if number == 0 else f"{arguments[0]}.{number}"
    if count > 1:
        return f"{name}({texts[number]})" if number < len(texts) else name
    return f"{name}({', '.join(texts)})"


def _is_bracketed(text):
    if not (text.startswith("(") and text.endswith(")")):
        return False
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return i == len(text) - 1
    return False


def _caller():
    """File and line of the Python code that has called the package."""
    frame = sys._getframe(1)
    while frame.f_back and os.path.dirname(os.path.abspath(frame.f_code.co_filename)) == _FOLDER:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno
