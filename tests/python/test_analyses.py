"""Analyses, equations and gradients from Python: exact values, and the numbers of the program.
usage: test_analyses.py PROGRAM SOURCE-FOLDER"""
import json
import math
import os
import pickle
import subprocess
import sys
import tempfile
import unittest

import driftless as dl
import numpy

PROGRAM, SOURCE = sys.argv[1:3]
EXAMPLES = os.path.join(SOURCE, "examples")


def program(command, name, *more):
    done = subprocess.run([PROGRAM, command, os.path.join(EXAMPLES, name), "--json", "--quiet", *more], capture_output=True, text=True)
    return json.loads(done.stdout)


def cart(k=4.0, d=0.5, mass=2.0):
    """A mass on a spring with a damper: m x'' + d x' + k x = u."""
    m = dl.Model("cart")
    kk, dd = m.param("k", k), m.param("d", d)
    u = m.input("u", 0)
    x = m.position("x")
    v = m.velocity(x)
    m.mass(x, mass)
    m.force(x, u - kk * x - dd * v)
    m.output("double", 2 * x)
    m.initial({x: 0.3, v: 0})
    m.simulate(to=2, rtol=1e-10)
    return m


class Linear(unittest.TestCase):
    def test_linear_equations_of_a_cart(self):
        linear = cart().linearize()
        self.assertEqual((linear.states, linear.inputs, linear.outputs), (["x", "der(x)"], ["u"], ["double"]))
        numpy.testing.assert_allclose(linear.A, [[0, 1], [-2, -0.25]], atol=1e-13)
        numpy.testing.assert_allclose(linear.B, [[0], [0.5]], atol=1e-13)
        numpy.testing.assert_allclose(linear.C, [[2, 0]], atol=1e-13)
        numpy.testing.assert_allclose(linear.D, [[0]], atol=1e-13)
        self.assertEqual(linear.kind, "frozen")
        self.assertIsNone(pickle.loads(pickle.dumps(linear))._near)

    def test_modes_and_equilibrium(self):
        m = cart()
        rest = m.equilibrium()
        self.assertAlmostEqual(rest["x"], 0, 12)
        self.assertTrue(rest.stable)
        modes = m.modes(at="equilibrium")
        expected = numpy.roots([2, 0.5, 4])
        numpy.testing.assert_allclose(sorted(modes.eigenvalues, key=lambda z: z.imag), sorted(expected, key=lambda z: z.imag), rtol=1e-12)
        self.assertAlmostEqual(modes.damping[0], 0.5 / (2 * math.sqrt(8)), 12)
        self.assertEqual(modes.shapes.shape, (2, 1))
        self.assertTrue(modes.stable)
        self.assertFalse(cart(k=-1.0).equilibrium().stable)

    def test_response(self):
        omega = numpy.array([0.1, 1.0, 3.0])
        found = cart().response(omega, at="equilibrium")
        numpy.testing.assert_allclose(found[:, 0, 0], 2 / (4 - 2 * omega**2 + 0.5j * omega), rtol=1e-12)

    def test_several_inputs_and_outputs_of_a_response(self):
        m = dl.Model("two")
        x, y = m.position("x", "y")
        a, b = m.input("a", 0), m.input("b", 0)
        m.mass(x, 1)
        m.mass(y, 2)
        m.force(x, a - x - m.velocity(x))
        m.force(y, b + 3 * a - y)
        for name, value in {"a-x": x, "b-y": y, "c-z": x + y}.items():
            m.output(name, value)
        found = m.response([0.5], at="equilibrium")[0]
        gx, gy = 1 / (1 - 0.25 + 0.5j), 1 / (1 - 0.5)
        numpy.testing.assert_allclose(found, [[gx, 0], [3 * gy, gy], [gx + 3 * gy, gy]], atol=1e-12)

    def test_feedback_solves_the_riccati_equation(self):
        m = cart()
        found = m.lqr({"x": 10, "der(x)": 1}, {"u": 0.5}, at="equilibrium")
        A, B = m.linearize(at="equilibrium").A, m.linearize(at="equilibrium").B
        closed = A - B @ found.K
        numpy.testing.assert_allclose(sorted(numpy.linalg.eigvals(closed), key=lambda z: (z.real, z.imag)),
                                      sorted(found.poles, key=lambda z: (z.real, z.imag)), rtol=1e-9)
        self.assertTrue((found.poles.real < 0).all())
        # K = R^-1 B' P, P from the eigenvectors of the Hamiltonian matrix
        H = numpy.block([[A, -B @ B.T / 0.5], [-numpy.diag([10.0, 1.0]), -A.T]])
        values, vectors = numpy.linalg.eig(H)
        V = vectors[:, values.real < 0]
        P = (V[2:] @ numpy.linalg.inv(V[:2])).real
        numpy.testing.assert_allclose(found.K, B.T @ P / 0.5, rtol=1e-9)

    def test_points_of_the_program(self):
        path = os.path.join(EXAMPLES, "slider-crank.lua")
        expected = program("linearize", "slider-crank.lua", "--at", "t=0.3")
        found = dl.load(path).linearize(at="t=0.3")
        self.assertEqual(found.states, expected["states"])
        numpy.testing.assert_array_equal(found.A, expected["A"])
        rest = program("equilibrium", "quarter-car.lua")
        self.assertEqual(rest["status"], "completed")
        own = dl.load(os.path.join(EXAMPLES, "quarter-car.lua")).equilibrium()
        for name, value in rest["state"].items():
            self.assertEqual(own[name], value)

    def test_wrong_names(self):
        m = cart()
        with self.assertRaisesRegex(dl.Error, "nothing"):
            m.linearize(at={"nothing": 1})
        with self.assertRaises(dl.Error):
            m.lqr({"nothing": 1})
        with self.assertRaisesRegex(dl.Error, "neither a number nor a text"):
            m.linearize(at={"x": []})
        with self.assertRaisesRegex(dl.Error, "no setting"):
            m.modes(speed=1)


class Inverse(unittest.TestCase):
    def test_the_force_that_follows_a_motion(self):
        m = dl.Model("follow")
        x = m.position("x")
        u = m.input("u", 0)
        m.mass(x, 3)
        m.force(x, u - 2 * x)
        m.motion(x, dl.sin(m.time))
        m.simulate(to=1, rtol=1e-10, every=0.1)
        found = m.inverse()
        numpy.testing.assert_allclose(found["u"], -numpy.sin(found.t), atol=1e-8)
        self.assertAlmostEqual(found.drives["u"]["peak"], math.sin(1), 7)
        with self.assertRaisesRegex(dl.Error, "no column"):
            found["w"]


class Gradients(unittest.TestCase):
    def test_the_derivatives_of_an_oscillation(self):
        m = cart(d=0.0)
        g = m.gradient("double", ["k", "initial(x)"])
        w, t, x0 = math.sqrt(2), 2.0, 0.3
        self.assertAlmostEqual(g.values["double"], 2 * x0 * math.cos(w * t), 8)
        self.assertAlmostEqual(g["double"]["initial(x)"], 2 * math.cos(w * t), 7)
        self.assertAlmostEqual(g["double"]["k"], -2 * x0 * t * math.sin(w * t) / (2 * 2 * w), 7)  # dw/dk = 1/(2 m w)
        self.assertEqual(g.matrix.shape, (1, 2))
        everything = m.gradient()
        self.assertEqual((everything.of, everything.by), (["double"], ["k", "d"]))
        backwards = m.gradient("double", ["k", "initial(x)"], derivatives="adjoint", error_control="state")
        numpy.testing.assert_allclose(backwards.matrix, g.matrix, atol=1e-7)
        with self.assertRaises(dl.Error):
            m.gradient("nothing")
        with self.assertRaisesRegex(dl.Error, "there are auto, direct and adjoint"):
            m.gradient(derivatives="sideways")


class Tasks(unittest.TestCase):
    def test_commands_by_name(self):
        found = cart().analyse("modes", at="equilibrium")
        self.assertAlmostEqual(found["eigenvalues"][0]["hz"], numpy.sqrt(2 - 0.125**2) / (2 * math.pi), 12)
        self.assertIn("Hz", str(found))
        over = cart().analyse("modes", over="k=1:4:4")
        self.assertEqual(over["values"], [1, 2, 3, 4])
        with self.assertRaises(dl.Error):
            cart().analyse("nothing")

    def test_the_best_parameter(self):
        m = dl.Model("aim")  # x(2) = u 2^2/2 = 0.5
        u, x = m.param("u", 1), m.position("x")
        m.mass(x, 1)
        m.force(x, u)
        m.initial({x: 0, m.velocity(x): 0})
        m.optimize(vary={"u": [-5, 5]}, minimize=m.final((x - 0.5)**2))
        m.simulate(to=2, rtol=1e-9)
        found = m.optimum()
        self.assertAlmostEqual(found["best"]["u"], 0.25, 5)
        with self.assertRaises(dl.Error):
            cart().optimum()
        with self.assertRaisesRegex(dl.Error, "for a fit alone"):
            m.optimum(bootstrap=10)

    def test_a_fit_has_intervals(self):
        with tempfile.TemporaryDirectory() as folder:  # x = v t
            with open(os.path.join(folder, "measured.csv"), "w") as file:
                file.write("t,x\n1,2.1\n2,3.8\n3,6.1\n4,8.0\n")
            with open(os.path.join(folder, "line.lua"), "w") as file:
                file.write("""local v = param("v", 1) local x = position("x") mass(x, 1) initial{ x = 0, [velocity(x)] = v }
optimize{ vary = { v = {0, 5} }, fit = { file = "measured.csv", x = "x" } } simulate{ to = 4 }""")
            m = dl.load(file.name)
            found = m.optimum(bootstrap=50, seed=3, threads=2, algorithm="lm")
            low, high = (found["bootstrap"][end]["v"] for end in ("low", "high"))
            self.assertAlmostEqual(found["best"]["v"], 60 / 30, 6)
            self.assertTrue(low < 2 < high and high - low < 6 * found["deviation"]["v"])
            self.assertEqual(m.optimum(bootstrap=50, seed=3, threads=1)["bootstrap"], found["bootstrap"])
            self.assertGreater(m.optimum(starts=3)["runs"], m.optimum()["runs"])


class Texts(unittest.TestCase):
    def test_check_and_init(self):
        path = os.path.join(EXAMPLES, "slider-crank.lua")
        m = dl.load(path)
        self.assertEqual(dict(m.check()), program("check", "slider-crank.lua"))
        self.assertEqual(dict(m.init()), program("init", "slider-crank.lua"))
        self.assertIn("degrees of freedom  1", str(m.check()))
        self.assertIn("initial", m.init().lua)
        self.assertTrue(m.check().runnable)
        self.assertEqual(pickle.loads(pickle.dumps(m.check())), m.check())

    def test_equations(self):
        path = os.path.join(EXAMPLES, "pendulum.lua")
        m = dl.load(path)
        text = subprocess.run([PROGRAM, "equations", path], capture_output=True, text=True, check=True).stdout
        self.assertEqual(m.equations(), text)
        self.assertIn(r"\documentclass", m.equations("latex"))
        self.assertIn("#include", m.equations("c"))
        with self.assertRaisesRegex(dl.Error, "choose from"):
            m.equations("french")

    def test_sympy_gives_the_accelerations_of_a_run(self):
        try:
            import sympy
        except ImportError:
            self.skipTest("there is no SymPy")
        for name in ("pendulum", "slider-crank", "friction"):
            m = dl.load(os.path.join(EXAMPLES, name + ".lua"))
            texts = m.equations("sympy")
            r = m.run(to=0.3)
            t = sympy.Symbol("t")
            values, derivatives = {}, {}
            for column in r.names:
                value = float(r[column][-1])
                if column.startswith("der("):
                    derivatives[sympy.Function(column[4:-1])(t).diff(t)] = value
                else:
                    values[sympy.Function(column)(t)] = value
            values.update({sympy.Symbol(p): m.start()[p] for p, kind in m.start().kinds.items() if kind == "param"})
            for equation in texts.get("abbreviations", ()):
                equation = sympy.sympify(equation)
                values[equation.lhs] = float(equation.rhs.subs(derivatives).subs(values))
            for level in ("constraints", "velocities"):
                for equation in texts[level]:
                    self.assertLess(abs(float(sympy.sympify(equation).rhs.subs(derivatives).subs(values))), 1e-6, name)
            accelerations = [sympy.Function(p)(t).diff(t, 2) for p, kind in m.start().kinds.items() if kind == "position"]
            unknown = {a: sympy.Symbol(f"a{i}") for i, a in enumerate(accelerations)}
            rows = [sympy.sympify(e).subs(unknown).subs(derivatives).subs(values) for e in texts["motion"]]
            found = sympy.solve(rows, list(unknown.values()))
            for equation in texts["accelerations"]:  # constraint forces of the run fit them
                residual = sympy.sympify(equation).rhs.subs(unknown).subs(found).subs(derivatives).subs(values)
                self.assertLess(abs(float(residual)), 1e-5, name)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
