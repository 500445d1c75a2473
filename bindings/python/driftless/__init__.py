"""Simulate mechanical systems tied together by constraints, without drifting off them.

    import driftless as dl

    m = dl.load("pendulum.lua", g=1.62)       # a script of the model language, or:

    m = dl.Model()                            # the same calls in Python
    x, y = m.position("x", "y")
    m.mass(x, 1), m.mass(y, 1)
    m.force(y, -9.81)
    m.constraint("rod", x**2 + y**2 - 1)
    m.initial(x=1, y=0)

    r = m.run(to=10, every=0.01, rtol=1e-8)   # a result
    r.t, r["x"], r.y, r.names, r.status, r.residuals, r.to_pandas(), r.plot("x", "y"), r.show()

    s = m.start(rtol=1e-8)                    # step by step, with inputs that change
    s.set("push", 2.0)
    s.advance(by=0.01)
    s["x"], s.time
    b = s.save(); s.advance(1.0); s.restore(b)

    m.check(), m.init(), m.equations(), m.equilibrium(), m.linearize(), m.modes(), m.response(w), m.lqr({"x": 1})

    sol = dl.solve_constrained(force, (0, 10), p0, v0, mass=M, constraint=g)   # equations as Python functions

NumPy, pandas, Matplotlib, h5py and IPython are imported only when they are used.
"""
from ._library import Error
from ._models import BaseModel, Script, load, loads
from ._results import Result, Stored, compare
from ._results import open_result as open
from ._simulation import Simulation
from ._solve import Dense, Solution, solve_constrained, solve_ivp
from ._studies import Objective, Study
from ._symbols import (
    Symbol, acos, asin, atan, atan2, cos, cosh, exp, floor, log, mod, noevent, pi, select, sign, sin, sinh, sqrt, tan, tanh,
)
from ._symbols import absolute as abs
from ._symbols import maximum as max
from ._symbols import minimum as min
from ._version import __version__
from ._writing import Model, language

__all__ = [
    "BaseModel", "Dense", "Error", "Model", "Objective", "Result", "Script", "Simulation", "Solution", "Stored", "Study",
    "Symbol", "compare", "language",
    "load", "loads", "solve_constrained", "solve_ivp",
    "acos", "asin", "atan", "atan2", "cos", "cosh", "exp", "floor", "log", "mod", "noevent", "pi", "select", "sign", "sin",
    "sinh", "sqrt", "tan", "tanh",
]
