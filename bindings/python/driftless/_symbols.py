"""Symbols of a model: what calls of the language return, combined by operators and functions.

A symbol is a text of the model language. Long texts get a name in the model, so that an expression that is
used many times is written once.
"""
import inspect
import math
import numbers
import re

from ._library import Error

_LONGEST = 300  # characters of an expression without a name
_DEEPEST = 30  # brackets inside each other
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*\Z")


class Symbol:
    """A variable, a parameter, a body, a joint, ... of a model, or an expression of them. Fields are those of the
    language: joint.q, joint.qd, point.x. Indices count from 1, as in the language."""

    __slots__ = ("_model", "_text", "_depth", "_scope", "__weakref__")
    __iter__ = None
    __hash__ = object.__hash__

    def __init__(self, model, text, depth=0, scope=None):
        self._model, self._text, self._depth, self._scope = model, text, depth, scope
        if len(text) > _LONGEST or depth > _DEEPEST:
            self._text, self._depth = model._name_expression(text, scope), 0

    def __repr__(self):
        return self._model._readable(self._text)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if not _NAME.match(name):
            raise Error(f"{name!r} is not a name")
        return Symbol(self._model, f"{self._text}.{name}", self._depth, self._scope)

    def __getitem__(self, key):
        return Symbol(self._model, f"{self._text}[{lua_text(self._model, key)}]", self._depth, self._scope)

    def __call__(self, *arguments):
        return _applied(self._text, arguments, self)

    def __reduce__(self):
        raise TypeError("symbols cannot be pickled without their model; pickle the model")

    # ---- operators

    def __add__(self, other):
        return _binary("+", self, other)

    def __radd__(self, other):
        return _binary("+", other, self)

    def __sub__(self, other):
        return _binary("-", self, other)

    def __rsub__(self, other):
        return _binary("-", other, self)

    def __mul__(self, other):
        return _binary("*", self, other)

    def __rmul__(self, other):
        return _binary("*", other, self)

    def __truediv__(self, other):
        return _binary("/", self, other)

    def __rtruediv__(self, other):
        return _binary("/", other, self)

    def __pow__(self, other):
        return _binary("^", self, other)

    def __rpow__(self, other):
        return _binary("^", other, self)

    def __mod__(self, other):
        return _binary("%", self, other)

    def __rmod__(self, other):
        return _binary("%", other, self)

    def __floordiv__(self, other):
        return _floored(self, other)

    def __rfloordiv__(self, other):
        return _floored(other, self)

    def __neg__(self):
        return Symbol(self._model, f"(-{self._text})", self._depth + 1, self._scope)

    def __pos__(self):
        return self

    def __abs__(self):
        return _applied("abs", (self,))

    def _refuse_order(self, other):
        raise Error("symbols have no value while the model is written: use select(c, a, b), min(...) and max(...) of driftless in place of "
                    "comparisons")

    __lt__ = __le__ = __gt__ = __ge__ = _refuse_order

    def __bool__(self):
        raise Error("symbols have no value while the model is written: 'if' cannot depend on them; use select(c, a, b), "
                    "or setting(name, value) for numbers that Python decides with")

    def __float__(self):
        raise TypeError("symbols have no value while the model is written: use driftless.sin, not math.sin, and so on")

    # ---- functions by the names of NumPy: numpy.sin(x) calls x.sin()

    def sin(self):
        return _applied("sin", (self,))

    def cos(self):
        return _applied("cos", (self,))

    def tan(self):
        return _applied("tan", (self,))

    def arcsin(self):
        return _applied("asin", (self,))

    def arccos(self):
        return _applied("acos", (self,))

    def arctan(self):
        return _applied("atan", (self,))

    def arctan2(self, x):
        return _applied("atan2", (self, x))

    def sinh(self):
        return _applied("sinh", (self,))

    def cosh(self):
        return _applied("cosh", (self,))

    def tanh(self):
        return _applied("tanh", (self,))

    def exp(self):
        return _applied("exp", (self,))

    def log(self):
        return _applied("log", (self,))

    def sqrt(self):
        return _applied("sqrt", (self,))


class Function:
    """A Python function that is being written as one of the language: its symbols live only inside it."""

    def __init__(self, model, outer):
        self.model, self.depth, self.locals, self.open = model, outer.depth + 1 if outer else 1, [], True

    def name(self, text):
        self.locals.append(f"local l{self.depth}_{len(self.locals)} = {text}")
        return f"l{self.depth}_{len(self.locals) - 1}"


def _binary(operator, a, b):
    if not (_is_operand(a) and _is_operand(b)):
        return NotImplemented
    model = (a if isinstance(a, Symbol) else b)._model
    scope = _scope_of((a, b), model)
    depth = 1 + max(a._depth if isinstance(a, Symbol) else 0, b._depth if isinstance(b, Symbol) else 0)
    return Symbol(model, f"({lua_text(model, a)} {operator} {lua_text(model, b)})", depth, scope)


def _floored(a, b):
    quotient = _binary("/", a, b)
    return quotient if quotient is NotImplemented else _applied("floor", (quotient,))


def _is_operand(value):
    return isinstance(value, (Symbol, numbers.Real))


def _applied(function, arguments, *more):
    """function(arguments) as an expression."""
    symbols = [a for a in (*more, *arguments) if isinstance(a, Symbol)]
    model = symbols[0]._model
    text = ", ".join(lua_text(model, a) for a in arguments)
    return Symbol(model, f"{function}({text})", 1 + max(s._depth for s in symbols), _scope_of(symbols, model))


def _scope_of(values, model):
    """The innermost function whose arguments occur."""
    scope = None
    for value in values:
        if isinstance(value, Symbol):
            if value._model is not model:
                raise Error(f"{value!r} belongs to another model")
            if value._scope and not value._scope.open:
                raise Error("the argument of a function is used outside of the function")
            if value._scope and (scope is None or value._scope.depth > scope.depth):
                scope = value._scope
        elif isinstance(value, dict):
            scope = _inner(scope, _scope_of((*value.keys(), *value.values()), model))
        elif isinstance(value, (list, tuple)):
            scope = _inner(scope, _scope_of(value, model))
    return scope


def _inner(a, b):
    return a if b is None or (a and a.depth >= b.depth) else b


scope_of = _scope_of


# ---- values as texts of the language


def lua_text(model, value):
    """A Python value as an expression of the language."""
    if isinstance(value, Symbol):
        _scope_of((value,), model)
        return value._text
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, numbers.Real):
        return _number(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(model, k)} = {lua_text(model, v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple, range)):
        return "{" + ", ".join(lua_text(model, item) for item in value) + "}"
    if callable(value):
        return _function(model, value)
    if hasattr(value, "tolist"):  # an array of NumPy
        return lua_text(model, value.tolist())
    raise Error(f"{value!r} is of type {type(value).__name__}; numbers, texts, symbols, lists, dictionaries and functions "
                "can be used in models")


def _number(value):
    if isinstance(value, numbers.Integral) and abs(value) <= 2**53:
        text = str(int(value))
    else:
        value = float(value)
        if not math.isfinite(value):
            raise Error(f"{value} is not a finite number")
        text = repr(value)
    return f"({text})" if text.startswith("-") else text


def _quoted(text):
    return '"' + "".join(c if c >= " " and c not in '"\\\x7f' else "".join(f"\\{b:03d}" for b in c.encode()) for c in text) + '"'


def _key(model, key):
    if isinstance(key, str):
        return f"[{_quoted(key)}]"
    if isinstance(key, (Symbol, numbers.Real)):
        return f"[{lua_text(model, key)}]"
    raise Error(f"{key!r} cannot be a key; keys are names or symbols")


def _function(model, function):
    """A Python function, called once with symbols, as a function of the language. A tuple is several values."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise Error(f"{function!r} has no signature; give a function with named arguments") from None
    if any(p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters):
        raise Error("functions in models have arguments by position only")
    count = sum(p.default is p.empty for p in parameters)
    scope = Function(model, model._inside)
    names = [f"a{scope.depth}_{i}" for i in range(count)]
    outer, model._inside = model._inside, scope
    try:
        result = function(*(Symbol(model, name, 0, scope) for name in names))
        values = result if isinstance(result, tuple) else (result,)
        returned = ", ".join(lua_text(model, value) for value in values)
    finally:
        model._inside, scope.open = outer, False
    body = "".join(f"{line}; " for line in scope.locals)
    return f"function({', '.join(names)}) {body}return {returned} end"


# ---- functions of numbers and symbols


def _one(name, of_number):
    def function(x):
        return _applied(name, (x,)) if isinstance(x, Symbol) else of_number(x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of a number or a symbol."
    return function


def _several(name, of_numbers, doc):
    def function(*arguments):
        if any(isinstance(a, Symbol) for a in arguments):
            return _applied(name, arguments)
        return of_numbers(*arguments)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


sin, cos, tan = _one("sin", math.sin), _one("cos", math.cos), _one("tan", math.tan)
asin, acos = _one("asin", math.asin), _one("acos", math.acos)
sinh, cosh, tanh = _one("sinh", math.sinh), _one("cosh", math.cosh), _one("tanh", math.tanh)
exp, log, sqrt = _one("exp", math.exp), _one("log", math.log), _one("sqrt", math.sqrt)
floor = _one("floor", math.floor)
sign = _one("sign", lambda x: float((x > 0) - (x < 0)))
noevent = _one("noevent", lambda x: x)
atan = _several("atan", lambda y, x=1: math.atan2(y, x), "The angle of (x, y); x is 1 if it is left out.")
atan2 = _several("atan2", math.atan2, "The angle of (x, y).")
mod = _several("mod", lambda x, m: x % m, "The remainder x - m floor(x/m).")
select = _several("select", lambda c, a, b: a if c > 0 else b, "a where c > 0, else b.")
minimum = _several("min", min, "The smallest of numbers and symbols.")
maximum = _several("max", max, "The largest of numbers and symbols.")
absolute = _one("abs", abs)
pi = math.pi

FUNCTIONS = {
    "sin": sin, "cos": cos, "tan": tan, "asin": asin, "acos": acos, "atan": atan, "atan2": atan2, "sinh": sinh, "cosh": cosh,
    "tanh": tanh, "exp": exp, "log": log, "sqrt": sqrt, "floor": floor, "sign": sign, "noevent": noevent, "mod": mod,
    "select": select, "min": minimum, "max": maximum, "abs": absolute,
}
