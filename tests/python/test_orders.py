"""Methods in any order, with any arguments, never crash: each call gives a value or raises an exception, and a simulation
that is made afterwards has the right numbers. The seed is fixed; the number of calls is an argument.
usage: test_orders.py PROGRAM SOURCE-FOLDER [CALLS]"""
import faulthandler
import math
import random
import sys
import tempfile
import unittest

import driftless as dl
from driftless import _library

CALLS = int(sys.argv[3]) if len(sys.argv) > 3 else 4000
faulthandler.enable()

SCRIPT = """
local u = input('u', 0) local m = param('m', 2)
local x = position('x') mass(x, m) force(x, u - x)
output('twice', 2*x) event('up', x - 0.5)
initial{ x = 1, ['der(x)'] = 0 } simulate{ to = 0.2, every = 0.05 }
"""


class Orders(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(25)
        self.folder, self.files = tempfile.TemporaryDirectory(), 0

    def tearDown(self):
        self.folder.cleanup()

    def value(self, pool):
        r = self.random
        return r.choice([None, True, 0, 1, -1, 3, 10**20, 0.05, -0.5, math.nan, math.inf, "", "x", "u", "nothing", b"", b"12345678" * 3, (), [],
                         ["to=0.1"], ["nonsense"], ("rtol=1e-5",), {}, {"at": "equilibrium"}, lambda *a: 1, self.folder.name + "/a.csv",
                         self.folder.name + "/b.h5", r.choice(pool), r.choice(pool), r.choice(pool)])

    def fresh(self):
        """Objects as they should be, and half-made ones."""
        model = _library.Model("a.lua", SCRIPT, (), ())
        run = _library.Run(model, ("to=0.2",))
        builder = _library.Builder("b", (), ())
        near = _library.Near(model, False, (), None, None, None, None)
        solver = _library.Solver(0, 0, 1, 0, False, False, lambda need, t: None, None, None, None, (), 1e-6, None, 0.0, 0.0, "psf", "radau", False)
        self.files += 1
        sweep = _library.Sweep(model, ("u=1:2:3",), (), ("to=0.01",), {"output": f"{self.folder.name}/{self.files}.h5"}, 0, 0, 0, 0)
        kinds = (_library.Model, _library.Run, _library.Builder, _library.Near, _library.Solver, _library.Sweep)
        return [model, run, builder, near, solver, sweep, *(kind.__new__(kind) for kind in kinds)]

    def test_the_extension(self):
        pool, raised = self.fresh(), 0
        for i in range(CALLS):
            if i % 100 == 99:
                pool = self.fresh()
            it = self.random.choice([it for it in pool if not isinstance(it, (bytes, str))])
            names = ["__init__"] + [name for name in dir(it) if not name.startswith("_")]
            method = getattr(it, self.random.choice(names), None)
            if not callable(method):
                continue
            arguments = [self.value(pool) for _ in range(self.random.choice((0, 0, 1, 1, 1, 2, 3, 4, 7)))]
            try:
                found = method(*arguments)
            except (dl.Error, TypeError, ValueError, OverflowError, MemoryError, UnicodeError, AttributeError, ZeroDivisionError):
                raised += 1
            else:
                if isinstance(found, (bytes, str)):
                    pool.append(found)
        self.assertGreater(raised, CALLS / 10)
        self.right_numbers()

    def test_simulations(self):
        m = dl.loads(SCRIPT)
        s, saved = m.start(), []
        for i in range(CALLS // 4):
            r = self.random
            if i % 200 == 199:
                s = m.start(rtol=r.choice((1e-4, 1e-9)))
            action = r.choice((
                lambda: s.advance(s.time + r.random() * 0.02), lambda: s.step(), lambda: s.step(0.01, u=r.choice((1, -1, math.nan))),
                lambda: saved.append(s.save()), lambda: s.restore(r.choice(saved or [b""])), lambda: s.restore(r.choice(saved or [b""])[:-r.randrange(1, 9)]),
                lambda: s.set(r.choice(("u", "m", "x", "nothing")), r.choice((1, 2.5, -1, math.inf, "1"))), lambda: s.reset(), lambda: s.cancel(),
                lambda: s.values(), lambda: s.observe("x"), lambda: s.residuals, lambda: s.energy, lambda: s.advance(s.time - 0.001),
                lambda: s.advance(math.nan), lambda: s.advance(), lambda: s["time"]))
            try:
                action()
            except (dl.Error, TypeError):
                pass
            self.assertTrue(math.isfinite(s["x"]))
        self.right_numbers()

    def test_models(self):
        names = sorted(dl.language())
        for _ in range(CALLS // 100):
            m = dl.Model("any")
            pool = [m.ground, m.time, m.position("x"), 1, "name", [0, 0], {"mass": 1}, lambda s: s]
            for _ in range(12):
                name = self.random.choice(names)
                try:
                    call = getattr(m, name)
                    found = call(*(self.random.choice(pool) for _ in range(self.random.randrange(4)))) if callable(call) else call
                    pool.extend(found if isinstance(found, tuple) else [found])
                except (dl.Error, TypeError, AttributeError, ValueError):
                    pass
            try:
                m.check()
            except dl.Error as error:
                self.assertGreater(len(str(error)), 5)
        self.right_numbers()

    def right_numbers(self):
        s = dl.loads(SCRIPT).start(rtol=1e-10)
        s.advance(1)
        self.assertAlmostEqual(s["x"], math.cos(math.sqrt(0.5)), 8)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
