"""Results in Python: columns, files, pages, comparisons, pickles; simulations as loops of control.
usage: test_results.py PROGRAM SOURCE-FOLDER"""
import gc
import importlib.util
import math
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import weakref
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import driftless as dl
import numpy

PROGRAM, SOURCE = sys.argv[1:3]
EXAMPLES = os.path.join(SOURCE, "examples")


def example(name, **values):
    return dl.load(os.path.join(EXAMPLES, name + ".lua"), **values)


def needs(module):
    return unittest.skipUnless(importlib.util.find_spec(module), f"there is no {module}")


class Columns(unittest.TestCase):
    def test_contract(self):
        m = example("pendulum", g=9.81)
        r = m.run(to=1, rtol=1e-7, every=0.1)
        self.assertEqual((type(r.t), type(r["x"]), type(r.names), r.status), (numpy.ndarray, numpy.ndarray, list, "completed"))
        self.assertIn("position", r.residuals)
        s = m.start()
        s.set("m", 2.0)
        s.advance(0.01)
        b = s.save()
        self.assertEqual(s.time, 0.01)
        s.advance(by=0.01)
        s.restore(b)
        self.assertEqual((s.time, type(s["x"])), (0.01, float))
        self.assertTrue(issubclass(dl.Error, Exception))

    def test_attributes_and_names(self):
        r = example("slider-crank").run(to=0.1)
        self.assertTrue(numpy.array_equal(r.phi, r["phi"]))
        self.assertIn("phi", dir(r))
        self.assertNotIn("pin-force", dir(r))
        self.assertIn("pin-force", r)
        self.assertEqual(list(r), r.names)
        with self.assertRaises(AttributeError):
            r.nothing
        with self.assertRaisesRegex(dl.Error, "input or a parameter"):
            r["l1"]
        with self.assertRaises(ValueError):
            r.x[0] = 1  # the result stays what it is
        at = r.at(0.015)
        self.assertAlmostEqual(at["x"], (r.x[1] + r.x[2]) / 2, 12)
        with self.assertRaisesRegex(dl.Error, "outside the result"):
            r.at(3)

    @needs("pandas")
    def test_pandas(self):
        r = example("pendulum").run(to=1, every=0.25)
        frame = r.to_pandas()
        self.assertEqual(list(frame.columns), r.names)
        self.assertEqual(frame.index.name, "time")
        self.assertEqual(frame.loc[0.5, "x"], r.x[2])

    @needs("matplotlib")
    def test_plots(self):
        import matplotlib

        matplotlib.use("Agg")
        r = example("pendulum").run(to=1, every=0.25)
        ax = r.plot("x", "y")
        self.assertEqual([line.get_label() for line in ax.lines], ["x", "y"])
        numpy.testing.assert_array_equal(ax.lines[1].get_ydata(), r.y)
        with self.assertRaises(dl.Error):
            r.plot("nothing")

    def test_nothing_is_imported_before_it_is_used(self):
        code = ("import sys, driftless; m = driftless.Model(); m.mass(m.position('x'), 1); r = m.run(to=1); r.status, len(r); "
                "print([n for n in ('numpy', 'pandas', 'matplotlib', 'IPython', 'h5py') if n in sys.modules])")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "[]\n")


class Files(unittest.TestCase):
    def test_files_of_the_program_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.h5")
            script = os.path.join(EXAMPLES, "slider-crank.lua")
            subprocess.run([PROGRAM, "run", script, "--to", "0.5", "--quiet", "--output", path], check=True)
            r = dl.load(script).run(to=0.5)
            with dl.open(path) as stored:
                self.assertEqual(stored._columns, {})  # nothing was read yet
                self.assertEqual(stored.names, r.names)
                self.assertTrue(numpy.array_equal(stored.table, r.table))
                self.assertEqual(stored.units["pin-force"], r.units["pin-force"])
                self.assertEqual(stored.parameters["l1"], 0.15)
                self.assertEqual(stored.residuals, r.residuals)
                self.assertTrue(dl.compare(stored, r).identical)
                self.assertTrue(numpy.array_equal(pickle.loads(pickle.dumps(stored)).x, r.x))
                page = os.path.join(folder, "page.html")
                stored.report(page)
                with open(page) as text:
                    self.assertIn("<html", text.read(200))
                copy = os.path.join(folder, "copy.h5")
                stored.save(copy)
            self.assertEqual(len(dl.open(copy)), len(r))
            fresh = dl.open(copy)
            fresh.close()
            with self.assertRaisesRegex(dl.Error, "closed"):
                fresh.t
            with self.assertRaisesRegex(dl.Error, "not a result"):
                dl.open(script)
            with self.assertRaisesRegex(dl.Error, "nothing.h5: there is no such file"):
                dl.open(os.path.join(folder, "nothing.h5"))

    def test_results_are_saved(self):
        r = example("pendulum").run(to=1)
        with tempfile.TemporaryDirectory() as folder:
            for ending in (".h5", ".csv", ".npz"):
                r.save(os.path.join(folder, "r" + ending))
            self.assertTrue(dl.compare(dl.open(os.path.join(folder, "r.h5")), r).identical)
            numpy.testing.assert_array_equal(numpy.loadtxt(os.path.join(folder, "r.csv"), delimiter=",", skiprows=1), r.table)
            numpy.testing.assert_array_equal(numpy.load(os.path.join(folder, "r.npz"))["der(x)"], r["der(x)"])
            r.report(os.path.join(folder, "r.html"))
            r.report(os.path.join(folder, "r.svg"))
            self.assertGreater(os.path.getsize(os.path.join(folder, "r.html")), 100000)
            for wrong in (r.save, r.report):
                with self.assertRaisesRegex(dl.Error, "must end in"):
                    wrong(os.path.join(folder, "r.xyz"))

    def test_pages(self):
        quick = example("pendulum").run(to=0.2)
        html = quick._repr_html_()
        self.assertIn("<iframe", html)
        self.assertEqual(html.count("<"), 2)  # the page is a text in the frame
        at_once = example("pendulum").run(to=0.2, page=True).page
        self.assertAlmostEqual(len(quick.page), len(at_once), delta=100)  # the seconds differ
        with mock.patch("webbrowser.open") as browser:
            quick.show()
        path = browser.call_args[0][0][len("file://"):]
        with open(path, encoding="utf-8") as page:
            self.assertEqual(page.read(), quick.page)
        os.remove(path)
        quick._page, quick.summary["seconds"] = None, 100.0
        self.assertIn("<pre>", quick._repr_html_())  # long runs are not repeated without being asked

    def test_comparison(self):
        m = example("pendulum")
        a, b = m.run(to=1, every=0.1), m.run(to=1, every=0.1, rtol=1e-4)
        c = dl.compare(a, b)
        self.assertFalse(c.identical)
        self.assertLess(c.difference["x"], 1e-2)
        self.assertEqual(c.largest, max(c.difference.values()))
        self.assertIn("x", repr(c))
        self.assertTrue(m.compare({}, to=1).identical)
        self.assertGreater(m.compare({"g": 9.81}, to=1).difference["x"], 0.1)
        wide = dl.compare(a, m.run(to=0.5, every=0.05))
        self.assertTrue(wide.interpolated)
        self.assertLess(wide.difference["x"], 1e-6)
        with self.assertRaisesRegex(dl.Error, "identical"):
            bool(c)
        with self.assertRaisesRegex(dl.Error, "no times in common"):
            dl.compare(a, m.run(to=6, **{"from": 5}))
        with self.assertRaisesRegex(dl.Error, "run\\(to=...\\)"):
            m.run(5)


class Steps(unittest.TestCase):
    def cart(self):
        m = dl.Model("cart")
        u, x = m.input("u", 0), m.position("x")
        m.mass(x, 2)
        m.force(x, u)
        m.initial({x: 1, m.velocity(x): 0})
        return m

    def test_a_loop_of_control(self):
        s = self.cart().start(rtol=1e-9)
        for episode in range(3):
            x, v = s.reset().observe("x", "der(x)")
            self.assertEqual((x, v, s.time, s["u"]), (1, 0, 0, 0))
            for _ in range(200):
                self.assertFalse(s.step(0.05, u=-8 * x - 6 * v))
                x, v = s.observe("x", "der(x)")
            self.assertAlmostEqual(s.time, 10)
            self.assertLess(abs(x), 1e-3)
        self.assertEqual(s.inputs, ["u"])
        self.assertEqual(len(s.observe()), len(s.names))
        self.assertEqual(s.reset(u=3)["u"], 3)

    def test_simulations_are_pickled(self):
        s = self.cart().start()
        s.step(0.5, u=4)
        other = pickle.loads(pickle.dumps(s))
        s.advance(1)
        other.advance(1)
        self.assertEqual(s.values(), other.values())
        self.assertAlmostEqual(s["x"], 2, 6)

    def test_threads_of_one_model(self):
        m = example("double-pendulum")
        alone = m.run(to=2).table
        with ThreadPoolExecutor(4) as pool:
            for found in pool.map(lambda _: m.run(to=2).table, range(8)):
                self.assertTrue(numpy.array_equal(found, alone))

    def test_another_thread_may_only_cancel(self):
        s = example("double-pendulum").start()
        found = []
        thread = threading.Thread(target=lambda: found.append(s.advance(1e6)))
        thread.start()
        time.sleep(0.2)
        with self.assertRaisesRegex(dl.Error, "another thread"):
            s["phi"]
        s.cancel()
        thread.join(30)
        self.assertEqual(found, [True])
        self.assertGreater(s.time, 0)
        self.assertFalse(s.advance(s.time + 0.1))

    def test_an_interrupt_keeps_what_was_computed(self):
        m = example("double-pendulum")
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt) as caught:
            m.run(to=1e6, every=0.1)
        r = caught.exception.result
        self.assertGreater(len(r), 3)
        self.assertTrue(numpy.isfinite(r.phi).all())

    def test_a_callback_that_raises_ends_the_run(self):
        m = dl.Model("events")
        x = m.position("x")
        m.mass(x, 1)
        m.event("out", x - 1)
        m.event("far", x - 2)
        m.initial({x: 0, m.velocity(x): 1})
        calls = []

        def on_event(number, direction, t):
            calls.append((number, direction, round(t, 6)))
            if number == 1:
                raise ValueError("far enough")

        with self.assertRaisesRegex(ValueError, "far enough") as caught:
            m.run(to=5, on_event=on_event)
        self.assertAlmostEqual(caught.exception.result.x[-1], 2, 6)
        with self.assertRaisesRegex(dl.Error, "on_event is 3"):
            m.run(to=5, on_event=3)
        self.assertEqual(calls, [(0, 1, 1.0), (1, 1, 2.0)])
        s = m.start(on_event=on_event)
        with self.assertRaisesRegex(ValueError, "far enough"):
            s.advance(5)
        self.assertAlmostEqual(s.time, 2, 6)
        s.advance(2.5)
        self.assertAlmostEqual(s["x"], 2.5, 6)

    def test_functions_that_refer_to_the_simulation_are_freed(self):
        class Holder:
            pass

        holder = Holder()
        holder.s = self.cart().start(on_event=lambda *event: holder.s)
        gone = weakref.ref(holder)
        del holder
        gc.collect()
        self.assertIsNone(gone())

    def test_wrong_values(self):
        s = self.cart().start()
        for wrong, message in ((lambda: dl.open("nothing.h5"), "nothing.h5: there is no such file"), (lambda: dl.compare(1, 2), "1 is not a result"),
                               (lambda: self.cart().linearize(at=3), "3 is no point"), (lambda: self.cart().start(on_event="a"), "on_event is 'a'")):
            with self.assertRaisesRegex(dl.Error, message):
                wrong()
        for wrong in (math.nan, math.inf):
            with self.assertRaises(dl.Error):
                s.set("u", wrong)
            with self.assertRaises(dl.Error):
                s.advance(wrong)
        for wrong in ("1", None, [1]):
            with self.assertRaises(TypeError):
                s.set("u", wrong)
        with self.assertRaises(dl.Error):
            s.observe("nothing")
        with self.assertRaises(dl.Error):
            s[3]
        with self.assertRaises(TypeError):
            s.restore("text")
        s.advance(0.5)
        self.assertEqual(s.time, 0.5)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
