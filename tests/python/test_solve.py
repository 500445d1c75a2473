"""Equations as Python functions: exact solutions, constraints that hold, and what users of solve_ivp expect.
usage: test_solve.py PROGRAM SOURCE-FOLDER"""
import gc
import importlib.util
import math
import os
import signal
import sys
import threading
import unittest

import driftless as dl
import numpy as np


def decay(t, y):
    return np.array([y[1], -4 * y[0]])


def gravity(t, p, v):
    return np.array([0.0, -9.81])


def rod(t, p):
    return np.array([p[0]**2 + p[1]**2 - 1])


class Ordinary(unittest.TestCase):
    def test_an_oscillation(self):
        for method in ("Radau", "BDF"):
            r = dl.solve_ivp(decay, (0, 3), [1, 0], method, t_eval=np.linspace(0, 3, 7), rtol=1e-8, atol=1e-10)
            self.assertTrue(r.success)
            self.assertEqual((r.status, r.y.shape, list(r.t)), (0, (2, 7), list(np.linspace(0, 3, 7))))
            np.testing.assert_allclose(r.y[0], np.cos(2 * r.t), atol=2e-6)

    def test_back_in_time_and_arguments(self):
        r = dl.solve_ivp(lambda t, y, k: -k * y, (2, 0), [1.0], args=(3,), t_eval=[1.5, 0.5, 0], rtol=1e-9)
        np.testing.assert_allclose(r.y[0], np.exp(-3 * (r.t - 2)), rtol=1e-7)

    def test_jacobians(self):
        def stiff(t, y):
            return np.array([y[1], 1000 * (1 - y[0]**2) * y[1] - y[0]])

        def slopes(t, y):
            return np.array([[0, 1], [-2000 * y[0] * y[1] - 1, 1000 * (1 - y[0]**2)]])

        a = dl.solve_ivp(stiff, (0, 2000), [2, 0], rtol=1e-8)
        b = dl.solve_ivp(stiff, (0, 2000), [2, 0], rtol=1e-8, jac=slopes)
        self.assertLess(b.nfev, a.nfev)
        np.testing.assert_allclose(a.y[:, -1], b.y[:, -1], rtol=1e-6)
        self.assertAlmostEqual(a.y[0, -1], 1.706167732, 6)  # van der Pol's equation in the test set for IVP solvers: 0.1706167732170469e1
        linear = dl.solve_ivp(decay, (0, 1), [1, 0], jac=[[0, 1], [-4, 0]], rtol=1e-8)
        self.assertAlmostEqual(linear.y[0, -1], math.cos(2), 6)

    def test_events(self):
        def falls(t, y):
            return y[0]

        falls.direction = -1

        def ends(t, y):
            return y[1] - 1

        ends.terminal = True
        r = dl.solve_ivp(decay, (0, 10), [1, 0], events=[falls, ends], rtol=1e-9)
        self.assertEqual(r.status, 1)
        np.testing.assert_allclose(r.t_events[0], [math.pi / 4], atol=1e-6)
        expected = (math.pi + math.asin(0.5)) / 2
        np.testing.assert_allclose(r.t_events[1], [expected], atol=1e-6)
        np.testing.assert_allclose(r.y_events[1][0], [math.cos(2 * expected), 1], atol=1e-6)
        self.assertAlmostEqual(r.t[-1], expected, 6)

    def test_the_solution_as_a_function_of_time(self):
        times = np.linspace(0, 3, 50)
        for method in ("Radau", "BDF"):
            for span in ((0, 3), (3, 0)):
                at = times[::-1] if span[0] else times
                a = dl.solve_ivp(decay, span, [1, 0], method, dense_output=True, rtol=1e-8, atol=1e-10)
                b = dl.solve_ivp(decay, span, [1, 0], method, t_eval=at, rtol=1e-8, atol=1e-10)
                np.testing.assert_allclose(a.sol(at), b.y, atol=1e-13)  # the same polynomials
                np.testing.assert_allclose(a.sol(a.t), a.y, atol=1e-15)
                self.assertEqual(a.sol(1.5).shape, (2,))
                self.assertEqual((a.sol.t_min, a.sol.t_max, len(a.sol.ts)), (0, 3, len(a.t)))
                with self.assertRaisesRegex(dl.Error, "between 0.0 and 3.0"):
                    a.sol(3.1)
        self.assertIsNone(b.sol)

        def lands(t, y):
            return y[0]

        lands.terminal = True
        r = dl.solve_ivp(decay, (0, 3), [1, 0], dense_output=True, events=lands, rtol=1e-9)
        self.assertAlmostEqual(r.sol.t_max, math.pi / 4, 7)
        np.testing.assert_allclose(r.sol(0.4), [math.cos(0.8), -2 * math.sin(0.8)], atol=1e-6)

    def test_an_event_that_ends_the_run_when_it_comes_again(self):
        def crosses(t, y):
            return y[0]

        for count in (1, 2, 3):
            crosses.terminal = count
            r = dl.solve_ivp(decay, (0, 20), [1, 0], events=crosses, rtol=1e-9)
            self.assertEqual((r.status, len(r.t_events[0]), r.message), (1, count, "A termination event occurred."))
            self.assertAlmostEqual(r.t[-1], (2 * count - 1) * math.pi / 4, 6)
        for wrong in (-1, 1.5, "yes"):
            crosses.terminal = wrong
            with self.assertRaisesRegex(dl.Error, "terminal = "):
                dl.solve_ivp(decay, (0, 20), [1, 0], events=crosses)

    def test_what_scipy_takes_works_or_is_refused_by_name(self):
        exact = [math.cos(2), -2 * math.sin(2)]
        for options in ({"vectorized": True}, {"max_step": 0.01}, {"first_step": 1e-3}, {"max_step": np.inf}, {"jac_sparsity": None}, {"args": ()}, {"atol": [1e-9, 1e-9]}):
            np.testing.assert_allclose(dl.solve_ivp(decay, (0, 1), [1, 0], rtol=1e-9, **options).y[:, -1], exact, atol=1e-6)
        r = dl.solve_ivp(decay, (0, 1), [1, 0], "Radau", [0.5, 1], False, None, False, None)  # by position
        self.assertEqual(list(r["t"]), [0.5, 1])
        self.assertLessEqual(np.diff(dl.solve_ivp(decay, (0, 1), [1, 0], max_step=0.05).t).max(), 0.05 * (1 + 1e-12))
        for options, message in (({"jac_sparsity": np.eye(2)}, "jac_sparsity"), ({"lband": 1}, "lband"), ({"uband": 1}, "uband"), ({"min_step": 1e-3}, "min_step"),
                                 ({"method": "RK45"}, "RK45"), ({"method": "LSODA"}, "LSODA"), ({"args": 3}, r"args=\(3,\)"), ({"rtol": [1, 2]}, "rtol"),
                                 ({"max_step": -1}, "max_step"), ({"first_step": "a"}, "first_step"), ({"events": 3}, "events|iterable"), ({"jac": "2-point"}, "jac")):
            with self.assertRaisesRegex((dl.Error, TypeError), message):
                dl.solve_ivp(decay, (0, 1), [1, 0], **options)
        with self.assertRaisesRegex(TypeError, "rotl"):
            dl.solve_ivp(decay, (0, 1), [1, 0], rotl=1)
        with self.assertRaisesRegex(dl.Error, "y0 is complex"):
            dl.solve_ivp(decay, (0, 1), [1j, 0])

    @unittest.skipUnless(importlib.util.find_spec("scipy"), "there is no SciPy")
    def test_names_of_scipy(self):
        from scipy.integrate import solve_ivp
        from scipy.sparse import csr_matrix

        sparse = dl.solve_ivp(decay, (0, 1), [1, 0], jac=lambda t, y: csr_matrix([[0, 1], [-4, 0]]), rtol=1e-8)
        self.assertAlmostEqual(sparse.y[0, -1], math.cos(2), 6)
        a, b = dl.solve_ivp(decay, (0, 1), [1, 0]), solve_ivp(decay, (0, 1), [1, 0], method="Radau")
        for name in ("t", "y", "t_events", "y_events", "nfev", "njev", "nlu", "status", "message", "success"):
            self.assertEqual(type(getattr(a, name)), type(getattr(b, name)), name)
        self.assertEqual(a.message, b.message)


class Constrained(unittest.TestCase):
    def setUp(self):
        m = dl.Model("pendulum")
        x, y = m.position("x", "y")
        m.mass(x, 1)
        m.mass(y, 1)
        m.force(y, -9.81)
        m.constraint("rod", x**2 + y**2 - 1)
        m.initial(x=1, y=0)
        self.reference = m.run(to=5, every=0.5, rtol=1e-11)

    def check(self, **more):
        r = dl.solve_constrained(gravity, (0, 5), [1, 0], constraint=rod, t_eval=self.reference.t, rtol=1e-9, check=True, **more)
        self.assertTrue(r.success, r.message)
        np.testing.assert_allclose(r.p[0], self.reference.x, atol=2e-6)
        np.testing.assert_allclose(r.lam[0], self.reference["lambda(rod)"], atol=2e-5)
        self.assertLess(abs((r.p**2).sum(0) - 1).max(), 1e-9)
        self.assertLess(abs((r.p * r.v).sum(0)).max(), 1e-8)
        np.testing.assert_array_equal(r.y, np.concatenate([r.p, r.v]))
        return r

    def test_given_and_missing_derivatives(self):
        def G(t, p):
            return np.array([[2 * p[0], 2 * p[1]]])

        def bias(t, p, v):
            return np.array([2 * (v @ v)])

        def jac(t, p, v):
            return np.zeros((2, 2)), np.zeros((2, 2))

        everything = {"constraint_jac": G, "constraint_bias": bias, "jac": jac}
        for given in ((), ("constraint_jac",), ("constraint_jac", "constraint_bias"), tuple(everything), ("jac",)):
            with self.subTest(given):
                self.check(**{name: everything[name] for name in given})

    def test_functions_that_take_no_complex_numbers(self):
        def real(t, p):
            return np.array([float(p[0])**2 + float(p[1])**2 - 1.0])

        r = dl.solve_constrained(gravity, (0, 5), [1, 0], constraint=real, t_eval=self.reference.t, rtol=1e-8)
        np.testing.assert_allclose(r.p[0], self.reference.x, atol=1e-5)
        self.assertLess(abs((r.p**2).sum(0) - 1).max(), 1e-9)

    def test_functions_that_drop_imaginary_parts(self):
        """Their derivative is zero at the start, where a complex step shows nothing."""
        r = dl.solve_constrained(gravity, (0, 1), [0, 0], constraint=lambda t, p: [p[0] - np.abs(t)**2], rtol=1e-9)
        self.assertAlmostEqual(r.v[0, -1], 2, places=6)
        r = dl.solve_constrained(gravity, (0, 1), [1, 0], constraint=lambda t, p: [p[0] - np.linalg.norm([t, 1.0])], rtol=1e-9)
        self.assertAlmostEqual(r.v[0, -1], math.sqrt(0.5), places=6)
        ends = [dl.solve_constrained(gravity, (0, 1), [0, 0], [2, 0], constraint=valley, rtol=1e-9)
                for valley in (lambda t, p: [p[1] - np.abs(p[0])**2], lambda t, p: [p[1] - p[0]**2])]
        np.testing.assert_allclose(ends[0].p[:, -1], ends[1].p[:, -1], atol=1e-6)
        np.testing.assert_allclose(ends[0].v[:, -1], ends[1].v[:, -1], atol=1e-5)

    def test_masses(self):
        for mass in ([2.0, 2.0], 2 * np.eye(2), lambda t, p: np.array([2.0, 2.0]), lambda t, p: 2 * np.eye(2)):
            r = dl.solve_constrained(lambda t, p, v: 2 * gravity(t, p, v), (0, 5), [1, 0], mass=mass, constraint=rod,
                                     t_eval=self.reference.t, rtol=1e-9)
            np.testing.assert_allclose(r.p[0], self.reference.x, atol=2e-6)
            np.testing.assert_allclose(r.lam[0], 2 * self.reference["lambda(rod)"], atol=5e-5)

    def test_a_mass_that_changes_and_its_jacobian(self):
        """A bead on a rotating arm in polar coordinates: (r, phi), M = diag(1, r^2); free motion is a straight line."""
        def force(t, p, v):
            return np.array([p[0] * v[1]**2, -2 * p[0] * v[0] * v[1]])

        def jac(t, p, v):
            return (np.array([[v[1]**2, 0], [-2 * v[0] * v[1], 0]]), np.array([[0, 2 * p[0] * v[1]], [-2 * p[0] * v[1], -2 * p[0] * v[0]]]))

        for more in ({}, {"jac": jac}):
            r = dl.solve_constrained(force, (0, 2), [1, 0], [0, 1], mass=lambda t, p: np.array([1, p[0]**2]), rtol=1e-9, check=True, **more)
            np.testing.assert_allclose(r.p[0] * np.cos(r.p[1]), 1, atol=1e-6)  # x = 1, y = t
            np.testing.assert_allclose(r.p[0] * np.sin(r.p[1]), r.t, atol=1e-6)

    def test_a_constraint_that_moves(self):
        """A point on the line x = sin t."""
        for con in (lambda t, p: np.array([p[0] - np.sin(t)]), lambda t, p: [float(p[0]) - math.sin(t)]):
            r = dl.solve_constrained(gravity, (0, 2), [0, 0], [1, 0], constraint=con, rtol=1e-8)
            np.testing.assert_allclose(r.p[0], np.sin(r.t), atol=1e-9)
            np.testing.assert_allclose(r.p[1], -9.81 * r.t**2 / 2, atol=1e-6)
            np.testing.assert_allclose(r.lam[0], np.sin(r.t), atol=1e-4)  # x'' = -sin t = -lam

    def test_the_start_moves_onto_the_constraints(self):
        r = dl.solve_constrained(gravity, (0, 0.1), [1.1, 0.1], [1, 1], constraint=rod)
        self.assertAlmostEqual((r.p[:, 0]**2).sum(), 1, 10)
        self.assertAlmostEqual(r.p[:, 0] @ r.v[:, 0], 0, 10)

    def test_events_and_arguments(self):
        def bottom(t, p, v, g):
            return p[0]

        bottom.terminal = True
        r = dl.solve_constrained(lambda t, p, v, g: np.array([0, -g]), (0, 5), [1, 0], constraint=lambda t, p, g: rod(t, p), args=(9.81,),
                                 events=bottom, rtol=1e-9)
        quarter = 1.8540746773013719 / math.sqrt(9.81)  # K(1/sqrt 2)
        self.assertAlmostEqual(r.t_events[0][0], quarter, 6)
        self.assertEqual(r.status, 1)


class Failures(unittest.TestCase):
    def test_functions_that_raise(self):
        def fails(t, p, v):
            if t > 0.5:
                raise KeyError("mine")
            return gravity(t, p, v)

        with self.assertRaisesRegex(KeyError, "mine"):
            dl.solve_constrained(fails, (0, 1), [1, 0], constraint=rod)
        with self.assertRaisesRegex(ZeroDivisionError, ""):
            dl.solve_ivp(lambda t, y: [1 / 0 if t > 0 else 1.0], (0, 1), [1.0])
        with self.assertRaises(ZeroDivisionError):
            dl.solve_ivp(decay, (0, 1), [1, 0], jac=lambda t, y: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            dl.solve_ivp(decay, (0, 1), [1, 0], events=lambda t, y: 1 / 0)

    def test_exceptions_have_the_solution_so_far(self):
        def stops(t, y):
            if t > 1:
                raise KeyboardInterrupt
            return decay(t, y)

        with self.assertRaises(KeyboardInterrupt) as caught:
            dl.solve_ivp(stops, (0, 3), [1, 0], rtol=1e-9, dense_output=True, events=lambda t, y: y[0])
        r = caught.exception.result
        self.assertEqual((r.status, r.success, r.message), (-1, False, "KeyboardInterrupt: "))
        self.assertGreater(r.t[-1], 0.5)
        np.testing.assert_allclose(r.y[0], np.cos(2 * r.t), atol=1e-6)
        np.testing.assert_allclose(r.t_events[0], [math.pi / 4], atol=1e-6)
        np.testing.assert_allclose(r.sol(0.3)[0], math.cos(0.6), atol=1e-6)
        with self.assertRaises(KeyboardInterrupt) as caught:
            dl.solve_constrained(lambda t, p, v: stops(t, [0, 0]) * 0 + gravity(t, p, v), (0, 3), [1, 0], constraint=rod)
        np.testing.assert_allclose(np.hypot(*caught.exception.result.p), 1, atol=1e-8)

    def test_a_signal_stops_functions_without_python(self):
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt) as caught:
            dl.solve_ivp(lambda t, y: [y[1], -y[0]], (0, 1e9), [1, 0])
        self.assertGreater(len(caught.exception.result.t), 10)

    def test_numbers_that_are_not_finite(self):
        r = dl.solve_ivp(lambda t, y: -y if t < 0.5 else y * math.nan, (0, 1), [1.0])
        self.assertFalse(r.success)
        self.assertLessEqual(r.t[-1], 0.5)

    def test_wrong_shapes_and_numbers(self):
        for wrong, message in (
            (lambda: dl.solve_ivp(lambda t, y: [1, 2, 3], (0, 1), [1, 0]), r"fun\(t, y\) gives shape \(3,\); \(2,\) is needed"),
            (lambda: dl.solve_ivp(decay, (0, 1), [1, math.nan]), "y0 has values that are not finite"),
            (lambda: dl.solve_ivp(decay, (0, 1), "text"), "y0"),
            (lambda: dl.solve_ivp(decay, (0, 1), []), "y0 has no values"),
            (lambda: dl.solve_ivp(lambda t, y: None, (0, 1), [1]), "gives None; real numbers are needed"),
            (lambda: dl.solve_ivp(lambda t, y: 1j * y, (0, 1), [1]), "real numbers are needed"),
            (lambda: dl.solve_ivp(lambda t, y: y * math.nan, (0, 1), [1]), r"NaN or Inf in fun\(t, y\)\[0\]"),
            (lambda: dl.solve_constrained(gravity, (0, 1), [1, 0], constraint=lambda t, p: [math.nan]), "constraint.* not finite"),
            (lambda: dl.solve_constrained(lambda t, p, v: v * math.nan, (0, 1), [1, 0]), r"NaN or Inf in force\(t, p, v\)"),
            (lambda: dl.solve_ivp(decay, (0,), [1, 0]), "t_span"),
            (lambda: dl.solve_ivp(decay, (0, 1), [1, 0], "Euler"), "there is no method 'Euler'"),
            (lambda: dl.solve_ivp(decay, (0, 1), [1, 0], t_eval=[0, 2]), "t_eval must be sorted and inside"),
            (lambda: dl.solve_ivp(decay, (0, 1), [1, 0], t_eval=[0.5, 0.2]), "t_eval must be sorted and inside"),
            (lambda: dl.solve_ivp(decay, (0, 1), [1, 0], rtol=-1), "rtol"),
            (lambda: dl.solve_ivp(decay, (0, 1), [1, 0], atol=[1, 2, 3]), "atol"),
            (lambda: dl.solve_ivp(decay, (0, 1), [1, 0], jac=[[1]]), "jac gives shape"),
            (lambda: dl.solve_constrained(gravity, (0, 1), [1, 0], [1]), "v0 has 1 values"),
            (lambda: dl.solve_constrained(gravity, (0, 1), [1, 0], mass=np.ones((3, 3)), constraint=rod), "mass has shape"),
            (lambda: dl.solve_constrained(gravity, (0, 1), [1, 0], constraint=rod, constraint_jac=lambda t, p: p), "constraint_jac"),
            (lambda: dl.solve_constrained(gravity, (0, 1), [1, 0], constraint=lambda t, p: np.ones(3)), "3 constraints of 2"),
            (lambda: dl.solve_constrained(gravity, (0, 1), [1, 0], constraint=rod, form="best"), "there is no form 'best'"),
            (lambda: dl.solve_constrained(gravity, (0, 1), [1, 0], constraint=lambda t, p: np.array([p[0]**2 + 1])), ""),
        ):
            with self.assertRaisesRegex(dl.Error, message):
                wrong()

    def test_wrong_derivatives_are_found(self):
        with self.assertRaises(dl.Error):
            dl.solve_constrained(gravity, (0, 1), [1, 0], constraint=rod, constraint_jac=lambda t, p: np.array([[p[0], p[1]]]), check=True)

    def test_a_solution_that_ends(self):
        r = dl.solve_ivp(lambda t, y: y**2, (0, 2), [1.0])  # 1/(1 - t)
        self.assertFalse(r.success)
        self.assertEqual(r.status, -1)
        self.assertGreater(len(r.message), 10)
        self.assertAlmostEqual(r.t[-1], 1, 3)

    def test_threads_and_memory(self):
        found = []
        threads = [threading.Thread(target=lambda: found.append(dl.solve_ivp(decay, (0, 20), [1, 0]).y[0, -1])) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(found)), 1)

        def resident():
            with open("/proc/self/statm") as text:
                return int(text.read().split()[1])

        def work(count):
            for _ in range(count):
                dl.solve_ivp(decay, (0, 0.1), [1, 0], events=lambda t, y: y[0])
            gc.collect()

        work(200)
        before = resident()
        work(1000)
        self.assertLess(resident() - before, 500)  # pages: 2 MB

    def test_arrays_of_a_callback_may_be_kept(self):
        kept = []
        dl.solve_ivp(lambda t, y: kept.append(y) or -y, (0, 1), [1.0])
        self.assertEqual(kept[0][0], 1.0)
        self.assertGreater(len({y[0] for y in kept}), 5)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
