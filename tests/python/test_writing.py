"""Models written in Python: the same bytes as scripts, the calls of the language, errors with their line.
usage: test_writing.py PROGRAM SOURCE-FOLDER"""
import glob
import os
import pickle
import re
import runpy
import subprocess
import sys
import tempfile
import unittest

import driftless as dl
import numpy

PROGRAM, SOURCE = sys.argv[1:3]


def twin(name):
    found = runpy.run_path(os.path.join(SOURCE, "examples", "python", name + ".py"))
    return found.get("model") or found["m"]


def pendulum():
    m = dl.Model("pendulum", L=1.2)
    L = m.param("L", 1)
    x, y = m.position("x", "y")
    m.mass(x, 1)
    m.mass(y, 1)
    m.force(y, -9.81)
    m.constraint("rod", x**2 + y**2 - L**2)
    m.initial({x: 0.9, m.velocity(x): 0})
    m.guess(y=-0.5)
    m.simulate(to=1)
    return m


class Twins(unittest.TestCase):
    def test_twins_have_the_bytes_of_their_scripts(self):
        names = [os.path.basename(path)[:-3] for path in glob.glob(os.path.join(SOURCE, "examples", "python", "*.py"))]
        self.assertGreaterEqual(len(names), 10)
        for name in sorted(names):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                a, b = os.path.join(folder, "a.csv"), os.path.join(folder, "b.csv")
                twin(name).run(output=a)
                script = os.path.join(SOURCE, "examples", name + ".lua")
                subprocess.run([PROGRAM, "run", script, "--quiet", "--output", b], check=True)
                with open(a, "rb") as own, open(b, "rb") as program:
                    self.assertEqual(own.read(), program.read())

    def test_a_twin_is_a_program(self):
        path = os.path.join(SOURCE, "examples", "python", "maxwell.py")
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
        self.assertIn("completed at t = 5", done.stdout)

    def test_the_script_of_a_model_is_the_model(self):
        m = twin("cam-follower")
        again = dl.loads(m.script()).run()
        self.assertTrue(numpy.array_equal(m.run().table, again.table))


class Language(unittest.TestCase):
    def test_all_calls_are_there(self):
        with open(os.path.join(SOURCE, "docs", "language.md")) as text:
            headings = re.findall(r"^###.*", text.read(), re.M)
        named = set(re.findall(r"`([a-z_]+)[(`{]", "\n".join(headings)))
        self.assertLess({"position", "body", "revolute", "contact_curves", "pid", "optimize"}, named)
        self.assertEqual(named - dl.language(), set())
        for name in named:
            self.assertTrue(hasattr(dl.Model(), name), name)

    def test_operators_and_functions(self):
        m = dl.Model("numbers")
        x = m.position("x")
        v = m.velocity(x)
        m.mass(x, 1)
        t = m.time
        at = 1.25
        expected = {
            "a": (2 - t, 2 - at), "b": (2 / (1 + t), 2 / (1 + at)), "c": (2**t, 2**at), "d": (-t % 2, -at % 2),
            "e": (abs(-t), at), "f": (dl.select(t - 1, t, 0), at), "g": (dl.atan2(t, -2), numpy.arctan2(at, -2)),
            "h": (numpy.sin(t) + dl.tanh(t), numpy.sin(at) + numpy.tanh(at)), "i": (dl.max(t, 2, 1), 2.0),
            "j": (dl.min(t, 2), at), "k": (+t - numpy.float64(0.5), at - 0.5), "l": (dl.mod(t, 1), 0.25),
            "m": (numpy.sqrt(t) * numpy.exp(t) - numpy.log(t), at**0.5 * numpy.exp(at) - numpy.log(at)), "n": (5 % (t + 1), 5 % (at + 1)),
            "o": (dl.sign(-t) + dl.floor(t), 0.0), "p": (sum(numpy.array([1, 2, 3]) * t), 6 * at),
            "q": (t // 0.5, at // 0.5), "r": (5 // (t + 1), 5 // (at + 1)),
        }
        for name, (symbol, _) in expected.items():
            m.output(name, symbol)
        m.initial({x: 0, v: 0})
        s = m.start(to=2, **{"from": 0.5})
        s.advance(at)
        for name, (_, value) in expected.items():
            self.assertAlmostEqual(s[name], value, 14, name)
        for number, name in ((0.3, "sin"), (0.3, "acos"), (2.5, "floor"), (-2, "sign"), (2.0, "sqrt")):
            self.assertIsInstance(getattr(dl, name)(number), (float, int))
        self.assertEqual(dl.select(1, 2, 3), 2)

    def test_sums_and_powers_of_any_length(self):
        m = dl.Model("sum")
        x = m.position("x")
        m.mass(x, 1)
        total, product = 0, x
        for i in range(3000):
            total = total + i * x
        for _ in range(60):
            product = (product + product) / 2  # texts would double each time
        m.output("total", total)
        m.output("product", product)
        m.initial({x: 2, m.velocity(x): 0})
        s = m.start(to=1)
        self.assertEqual(s["total"], 2 * 2999 * 1500)
        self.assertEqual(s["product"], 2)

    def test_functions_become_functions(self):
        m = dl.Model("bead")
        m.planar()
        m.gravity([0, -9.81])
        bead = m.body("bead", mass=1, inertia=0.1)
        wire = m.joint("wire", m.ground, bead, at=[0, 0], coordinates=["s"],
                       pose=lambda s: ([s, s**2], dl.atan(2 * s)))
        m.initial({wire.s: 1})
        m.output("energy", m.energy())
        m.simulate(to=1, rtol=1e-9)
        n = dl.Model("bead2")
        n.planar()
        n.gravity([0, -9.81])
        other = n.body("bead", mass=1, inertia=0.1)

        def residual(a, b, s):
            along, across = b.R[1][1], b.R[2][1]
            return b.x - s, b.y - s**2, across - 2 * s * along

        s = n.joint("wire", n.ground, other, at=[0, 0], coordinates=["s"], residual=residual)
        n.initial({s: 1})
        n.simulate(to=1, rtol=1e-9)
        a, b = m.run(every=0.1), n.run(every=0.1)
        self.assertLess(abs(a["wire.s"] - b["wire.s"]).max(), 1e-6)
        self.assertLess(numpy.ptp(a.energy), 1e-6)

    def test_tables_and_actions(self):
        m = dl.Model("relay")
        x = m.position("x")
        m.mass(x, 1)
        u = m.discrete("u", 1)
        k = m.spline(numpy.linspace(-1, 1, 5), [1, 1, 1, 1, 1])
        m.force(x, (u - m.velocity(x)) * k(x))
        m.event("high", x - 0.1, direction="rising", set={u: -1})
        m.event("low", x + 0.1, {"direction": "falling"}, set={u: 1})
        r = m.run(to=3, every=0.1)
        self.assertEqual(set(r.u), {-1, 1})
        self.assertGreater(len(r.events), 1)
        self.assertEqual(r.events[0]["name"], "high")

    def test_values_and_settings(self):
        self.assertEqual(len(runpy.run_path(os.path.join(SOURCE, "examples", "python", "chain.py"))["chain"](N=2).run(to=0.1).names), 12)
        m = pendulum()
        self.assertAlmostEqual(m.start()["L"], 1.2)
        self.assertAlmostEqual(m.with_values(L=1.1).start()["L"], 1.1)
        self.assertTrue(numpy.array_equal(pickle.loads(pickle.dumps(m)).run().table, m.run().table))


    def test_results_and_simulations_keep_their_model(self):
        m = pendulum()
        r, s = m.run(), m.start()
        m.force(m.position("other"), 1)  # without a mass: no start
        with self.assertRaises(dl.Error):
            m.run()
        with tempfile.TemporaryDirectory() as folder:
            r.save(os.path.join(folder, "r.h5"))
            self.assertTrue(dl.compare(dl.open(os.path.join(folder, "r.h5")), r).identical)
        s.advance(0.5)
        self.assertEqual(s.reset().time, 0)
        self.assertEqual(pickle.loads(pickle.dumps(s)).time, 0)
        self.assertEqual(pickle.loads(pickle.dumps(r)).page[:9], r.page[:9])

    def test_pickles_need_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.lua")
            with open(path, "w") as file:
                file.write(pendulum().script())
            kept = pickle.dumps(dl.load(path, L=1.1))
        self.assertEqual(pickle.loads(kept).start()["L"], 1.1)


class Errors(unittest.TestCase):
    def line(self):
        return sys._getframe(1).f_lineno

    def test_wrong_calls_fail_where_they_are_made(self):
        m = pendulum()
        z = m.position("z")
        script = m.script()
        with self.assertRaisesRegex(dl.Error, rf"^\S*test_writing.py:{self.line() + 1}: the name 'rod' is already used by the constraint of line \d+"):
            m.constraint("rod", z - 1)
        with self.assertRaisesRegex(dl.Error, rf"^\S*test_writing.py:{self.line() + 1}: body"):
            m.body(3)
        with self.assertRaisesRegex(dl.Error, rf"^\S*test_writing.py:{self.line() + 1}: "):
            m.force(m.ground.nothing, 1)
        for call in (lambda: m.mass(z), lambda: m.initial(q=1), lambda: m.simulate(too=1), lambda: m.output("o"), lambda: m.param("z", 1),
                     lambda: m.kinetic(m.ground), lambda: m.constraint("c", "x"), lambda: m.spring("s", 1, 2), lambda: m.position("2x"),
                     lambda: m.optimize(minimize=z), lambda: m.event("e", z, {"stop": 3}), lambda: m.signal("no.csv", "y"),
                     lambda: m.draw.line(1, 2), lambda: m.spline([1, 2], [3])):
            with self.assertRaisesRegex(dl.Error, r"^\S*test_writing.py:\d+: "):
                call()
        self.assertEqual(m.script(), script)  # what was refused has left nothing
        m.mass(z, 1)
        self.assertEqual(m.run(to=0.1).status, "completed")
        self.assertEqual(pickle.loads(pickle.dumps(m)).run(to=0.1).status, "completed")

    def test_what_only_the_whole_model_shows_names_the_line(self):
        m = pendulum()
        m.body("loose", mass=1)
        with self.assertRaisesRegex(dl.Error, rf"test_writing.py:{self.line() - 1}: |line {self.line() - 1}\b"):
            m.run()
        m = pendulum()
        m.position("z")  # without a mass
        with self.assertRaisesRegex(dl.Error, "z"):
            m.run()

    def test_limits_of_scripts_do_not_hold(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "push.csv"), "w") as file:
                file.write("t,y\n0,1\n1,3\n")
            m = dl.Model()
            x = m.position("x")
            m.mass(x, 1)
            push = m.signal(os.path.join(folder, "push.csv"), "y")
            m.force(x, push(m.time))
            m.initial(x=0, **{"der(x)": 0})
            exact = 1 / 2 + 2 / 6  # of x'' = 1 + 2 t
            self.assertAlmostEqual(m.run(to=1, rtol=1e-9).x[-1], exact, 7)
            self.assertAlmostEqual(pickle.loads(pickle.dumps(m)).run(to=1, rtol=1e-9).x[-1], exact, 7)
            with self.assertRaisesRegex(dl.Error, "below the model's folder"):
                dl.loads(m.script())

    def test_misuse(self):
        m, other = pendulum(), pendulum()
        x = m.position("z")
        with self.assertRaisesRegex(AttributeError, "did you mean 'position'"):
            m.positon("q")
        with self.assertRaisesRegex(AttributeError, "did you mean draw.line"):
            m.draw.lin("q")
        with self.assertRaisesRegex(dl.Error, "belongs to another model"):
            other.force(x, 1)
        with self.assertRaisesRegex(dl.Error, "select"):
            x < 1
        with self.assertRaisesRegex(dl.Error, "select"):
            bool(x)
        with self.assertRaisesRegex(TypeError, "driftless.sin"):
            float(x)
        with self.assertRaisesRegex(dl.Error, "not a finite number"):
            m.force(x, float("nan"))
        with self.assertRaisesRegex(dl.Error, "can be used in models"):
            m.force(x, object())
        kept = []
        m.dynamic("r", lambda r: kept.append(r) or -r)
        with self.assertRaisesRegex(dl.Error, "outside of the function"):
            m.force(x, kept[0])
        with self.assertRaises(ZeroDivisionError):
            m.auxiliary("w", lambda w: w / 0 if False else 1 / 0)
        with self.assertRaises(TypeError):
            x + "text"
        with self.assertRaisesRegex(dl.Error, "build it again"):
            twin("chain").with_values(N=3)
        m.mass(x, 1)
        self.assertEqual(m.run(to=0.1).status, "completed")  # what was refused has left nothing

    def test_symbols_show_what_they_are(self):
        m = dl.Model("shown")
        x, y = m.position("x", "y")
        self.assertEqual(repr(x**2 + 3 * y), "(x ^ 2) + (3 * y)")
        self.assertEqual(repr(m.velocity(x)), "velocity(x)")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
