"""Studies and functions for optimizers: the numbers of single runs, exact sensitivities, interruptions.
usage: test_studies.py PROGRAM SOURCE-FOLDER"""
import importlib.util
import math
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import driftless as dl
import numpy as np

PROGRAM, SOURCE = sys.argv[1:3]


def spring(**values):
    """x(t) = x0 cos(w t), w^2 = k/m"""
    m = dl.Model("spring", **values)
    k, mass = m.param("k", 2), m.param("m", 1)
    x = m.position("x")
    m.mass(x, mass)
    m.force(x, -k * x)
    m.output("off", (x - 0.5)**2)
    m.output("place", x)
    m.initial({x: 0.3, m.velocity(x): 0})
    m.simulate(to=1, rtol=1e-9)
    return m


class Sweeps(unittest.TestCase):
    def test_cases_have_the_numbers_of_single_runs(self):
        m = spring()
        study = m.sweep({"k": np.array([1.0, 2.5, 4.0]), "m": "1:3:2"}, columns="place")
        self.assertEqual((study.cases, study.failed, study.parameters), (6, 0, ["k", "m"]))
        self.assertEqual(list(study["k"]), [1, 1, 2.5, 2.5, 4, 4])
        for i in range(6):
            alone = m.with_values(k=study["k"][i], m=study["m"][i]).run()
            self.assertEqual(study["place.final"][i], alone["place"][-1])
        np.testing.assert_allclose(study["place.final"], 0.3 * np.cos(np.sqrt(study["k"] / study["m"])), atol=1e-8)
        again = m.sweep({"k": [1, 2.5, 4], "m": [1, 3]}, columns=["place"], threads=1)
        self.assertEqual(again.table.tobytes(), study.table.tobytes())
        self.assertEqual(pickle.loads(pickle.dumps(study)).table.tobytes(), study.table.tobytes())

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "there is no pandas")
    def test_tables_of_pandas(self):
        import pandas

        frame = spring().sweep({"k": [1, 2]}).to_pandas()
        self.assertEqual(list(frame["k"]), [1, 2])
        self.assertEqual(list(frame["status"]), ["completed"] * 2)
        given = pandas.DataFrame({"k": [1.5, 2.5], "initial(x)": [1.0, 2.0]})
        study = spring().sweep(cases=given)
        np.testing.assert_allclose(study["place.final"], given["initial(x)"] * np.cos(np.sqrt(given["k"])), atol=1e-8)
        self.assertIn("<table", study._repr_html_())
        same = spring().sweep(cases={"k": [1.5, 2.5], "initial(x)": [1.0, 2.0]})
        self.assertEqual(same.table.tobytes(), study.table.tobytes())

    def test_sensitivities_of_a_sum(self):
        m = dl.Model("sum")
        a, b, x = m.param("a", 1), m.param("b", 1), m.position("x")
        m.mass(x, 1)
        m.output("sum", 3 * a + 4 * b + 0 * x)
        m.initial(x=0, **{"der(x)": 0})
        study = m.sweep(sample={"a": "uniform(0,1)", "b": "uniform(0,1)"}, design="saltelli", count=512, to=0.01)
        found = study.sensitivity("sum.final")
        for name, part in (("a", 9 / 25), ("b", 16 / 25)):  # variances 9/12 and 16/12; the error of 512 points is some 1e-3
            self.assertAlmostEqual(found["first"][name], part, 2)
            self.assertAlmostEqual(found["total"][name], part, 2)
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "s.h5")
            m.sweep(sample={"a": "uniform(0,1)", "b": "uniform(0,1)"}, design="saltelli", count=512, to=0.01, output=file)
            self.assertEqual(m.sweep(resume=file).sensitivity("sum.final"), found)
        with self.assertRaisesRegex(dl.Error, "saltelli"):
            m.sweep({"a": [1]}, to=0.01).sensitivity("sum.final")

    def test_files_are_kept_and_gone_on_with(self):
        with tempfile.TemporaryDirectory() as folder:
            file, page = os.path.join(folder, "s.h5"), os.path.join(folder, "s.html")
            study = spring().sweep({"k": "1:2:4"}, output=file)
            self.assertEqual(study.path, file)
            study.report(page)
            with open(page) as text:
                self.assertIn("<html", text.read(2000))
            with self.assertRaisesRegex(dl.Error, "4 of 4 cases done"):
                spring().sweep({"k": [1]}, output=file)
            again = spring().sweep(resume=file)
            self.assertEqual(again.table.tobytes(), study.table.tobytes())
            script = os.path.join(folder, "spring.lua")
            with open(script, "w") as text:
                text.write(spring().script())
            table = os.path.join(folder, "p.csv")
            subprocess.run([PROGRAM, "sweep", script, "--over", "k=1:2:4", "--output", os.path.join(folder, "p.h5"), "--csv", table, "--quiet"], check=True)
            with open(table) as text:
                names, *rows = [line.split(",") for line in text.read().splitlines()]
            self.assertEqual([float(row[names.index("place.rms")]) for row in rows], list(study["place.rms"]))
            self.assertEqual(spring().sweep({"k": [1]}, output=file, replace=True).cases, 1)
            with self.assertRaisesRegex(dl.Error, "output"):
                spring().sweep({"k": [1]}).report(page)

    def test_failures(self):
        m = dl.Model("broken")
        k, x = m.param("k", 1), m.position("x")
        m.mass(x, 1)
        m.force(x, dl.sqrt(k))
        m.initial(x=0, **{"der(x)": 0})
        study = m.sweep({"k": [1, -1]}, to=1)
        self.assertEqual((study.failed, study.status), (1, ["completed", "failed"]))
        self.assertGreater(len(study.messages[1]), 10)
        with self.assertRaisesRegex(dl.Error, "all 2 cases have failed; the first: .") as caught:
            m.sweep({"k": [-1, -2]}, to=1)
        self.assertEqual(caught.exception.result.failed, 2)
        for wrong, message in (
            (lambda: m.sweep(to=1), ""),
            (lambda: m.sweep({"q": [1]}, to=1), "q"),
            (lambda: m.sweep({"k": 3}, to=1), "k is 3"),
            (lambda: m.sweep({"k": "a:b"}, to=1), "k"),
            (lambda: m.sweep({"k": [1]}, tol=1), "tol"),
            (lambda: m.sweep(sample={"k": "gauss(1)"}, to=1), "gauss"),
            (lambda: m.sweep({"k": [1]}, design="best", to=1), ""),
            (lambda: m.sweep(cases={"k": [1], "m": []}, to=1), "same number"),
            (lambda: m.sweep(cases=3, to=1), "cases"),
        ):
            with self.assertRaisesRegex(dl.Error, message):
                wrong()
        with self.assertRaisesRegex(dl.Error, "no column 'nothing'"):
            study["nothing"]

    def test_an_interrupt_keeps_the_cases_that_were_done(self):
        seen = []

        def progress(done, cases):
            seen.append((done, cases))
            if done and len(seen) > 1:
                signal.raise_signal(signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt) as caught:
            spring().sweep({"k": "1:2:100000"}, threads=1, progress=progress)
        study = caught.exception.result
        self.assertEqual(study.cases, 100000)
        done = [i for i in range(study.cases) if study.status[i] == "completed"]
        self.assertTrue(0 < len(done) < 100000)
        np.testing.assert_allclose(study["place.final"][done], 0.3 * np.cos(np.sqrt(study["k"][done])), atol=1e-8)
        missing = [i for i in range(study.cases) if study.status[i] == "missing"]
        self.assertTrue(np.isnan(study["place.final"][missing]).all())

    def test_studies_in_threads(self):
        found = []
        workers = [threading.Thread(target=lambda: found.append(spring().sweep({"k": "1:2:10"}, threads=1).table.tobytes())) for _ in range(3)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual((len(found), len(set(found))), (3, 1))


class Optimizers(unittest.TestCase):
    def test_value_and_gradient(self):
        f = spring().value_and_gradient("place", ["k", "initial(x)"])
        np.testing.assert_allclose(f.start, [2, 0.3])
        value, slopes = f([3.0, 0.4])
        w = math.sqrt(3)
        self.assertAlmostEqual(value, 0.4 * math.cos(w), 8)
        np.testing.assert_allclose(slopes, [-0.4 * math.sin(w) / (2 * w), math.cos(w)], atol=1e-7)
        value, slopes = spring().value_and_gradient("place", "k")(3.0)  # one name: a number will do
        self.assertAlmostEqual(value, 0.3 * math.cos(w), 8)
        np.testing.assert_allclose(slopes, [-0.3 * math.sin(w) / (2 * w)], atol=1e-7)
        with self.assertRaisesRegex(dl.Error, "one value for each of k, initial"):
            f([1])
        with self.assertRaisesRegex(dl.Error, "nothing"):
            spring().value_and_gradient("nothing", "k")([1])

    @unittest.skipUnless(importlib.util.find_spec("scipy"), "there is no SciPy")
    def test_minimize_of_scipy(self):
        from scipy.optimize import minimize

        f = spring(**{"initial(x)": 0.8}).value_and_gradient("off", "k")
        best = minimize(f, f.start, jac=True, method="L-BFGS-B", bounds=[(0.1, 2)], options={"ftol": 1e-15})
        self.assertAlmostEqual(best.x[0], math.acos(0.5 / 0.8)**2, 4)  # 0.8 cos w = 0.5
        self.assertLess(best.fun, 1e-10)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
