"""driftless for Python: the numbers of the program, stepping, states, errors.
usage: test_driftless.py PROGRAM SOURCE-FOLDER"""
import csv
import gc
import math
import os
import pickle
import re
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy

import driftless

PROGRAM, SOURCE = sys.argv[1:3]
EXAMPLES = os.path.join(SOURCE, "examples")

CART = """
local u = input('u', 0) local m = param('m', 2, 'kg')
local x = position('x') unit(x, 'm') mass(x, m) force(x, u)
output('twice', 2*x)
event('far', x - 3, { stop = true })
initial{ x = 0, ['der(x)'] = 0 }
simulate{ to = 4, rtol = 1e-9 }
"""


def program_rows(model, *more):
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        subprocess.run([PROGRAM, "run", model, "--quiet", "--output", file.name, *more], check=True)
        with open(file.name) as text:
            rows = list(csv.reader(text))
    return rows[0][1:], numpy.array(rows[1:], dtype=float)


class Results(unittest.TestCase):
    def test_examples_have_the_numbers_of_the_program(self):
        for name in ("pendulum", "slider-crank", "four-bar-bodies", "ball", "maxwell", "friction", "heavy-top"):
            path = os.path.join(EXAMPLES, name + ".lua")
            names, rows = program_rows(path)
            r = driftless.load(path).run()
            self.assertEqual(r.names, names)
            self.assertTrue(numpy.array_equal(r.table, rows, equal_nan=True), name)
            self.assertEqual(r.status, "completed")

    def test_values_and_settings(self):
        path = os.path.join(EXAMPLES, "pendulum.lua")
        _, rows = program_rows(path, "--set", "g=1.62", "--to", "2", "--every", "0.5", "--rtol", "1e-6", "--form", "psi1")
        r = driftless.load(path, g=1.62).run(to=2, every=0.5, rtol=1e-6, form="psi1")
        self.assertTrue(numpy.array_equal(r.table, rows))
        self.assertTrue(numpy.array_equal(r.x, r["x"]))
        self.assertEqual(len(r), 5)
        self.assertLess(r.residuals["position"], 1e-8)
        again = pickle.loads(pickle.dumps(r))
        self.assertTrue(numpy.array_equal(again.t, r.t))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "r.csv")
            r = driftless.loads(CART, u=1).run(to=1, output=file)
            with open(file) as text:
                self.assertEqual(len(text.readlines()), 1 + len(r))


class Steps(unittest.TestCase):
    def test_inputs_change(self):
        s = driftless.loads(CART).start()
        s.advance(1)
        s.set("u", 2)
        s.advance(by=1)
        self.assertAlmostEqual(s["x"], 0.5, 8)
        s["m"], s["u"] = 1, -3
        s.advance(3)
        self.assertAlmostEqual(s["der(x)"], -2, 8)
        self.assertAlmostEqual(s["twice"], 0, 8)
        self.assertEqual(s.time, 3)
        self.assertEqual(s.units["x"], "m")
        self.assertEqual(s.kinds["u"], "input")

    def test_events_stop(self):
        s = driftless.loads(CART, u=2).start()
        self.assertTrue(s.advance(4))
        self.assertAlmostEqual(s.time, math.sqrt(6), 7)

    def test_saved_states(self):
        m = driftless.load(os.path.join(EXAMPLES, "ball.lua"))
        s = m.start()
        s.advance(0.7)
        saved = s.save()
        s.advance(1.5)
        end = s.values()
        s.restore(saved)
        self.assertEqual(s.time, 0.7)
        other = pickle.loads(pickle.dumps(m)).start()
        other.restore(saved)
        s.advance(1.5)
        other.advance(1.5)
        self.assertEqual(s.values(), end)
        self.assertEqual(other.values(), end)

    def test_threads(self):
        m = driftless.load(os.path.join(EXAMPLES, "double-pendulum.lua"))
        found = []
        threads = [threading.Thread(target=lambda: found.append(m.run(to=5).table[-1].tolist())) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found[0], found[1])

    def test_one_simulation_in_three_threads(self):
        """One thread advances it, the others are told so, whenever they come."""
        s = driftless.load(os.path.join(EXAMPLES, "double-pendulum.lua")).start()
        told, done = set(), []

        def advance():
            for _ in range(1500):
                try:
                    s.advance(by=1e-3)
                    done.append(1)
                except driftless.Error as error:
                    told.add(str(error))

        threads = [threading.Thread(target=advance) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue(all("is advancing" in text for text in told), told)
        self.assertAlmostEqual(s.time, 1e-3 * len(done), places=9)


class Document(unittest.TestCase):
    def test_listings_print_what_they_say(self):
        with open(os.path.join(SOURCE, "docs", "python.md")) as text:
            blocks = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text.read(), re.S)
        self.assertGreater(len(blocks), 1)
        for code, expected in blocks:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "listing.py")
                with open(path, "w") as file:
                    file.write(code)
                done = subprocess.run([sys.executable, path], cwd=SOURCE, capture_output=True, text=True, check=True)
                self.assertEqual(done.stdout.replace(folder + "/", ""), expected)


class Errors(unittest.TestCase):
    def test_messages(self):
        with self.assertRaisesRegex(driftless.Error, "test.lua:1: "):
            driftless.loads("local x = nothing(1)", name="test.lua")
        with self.assertRaisesRegex(driftless.Error, "no parameter, input or setting"):
            driftless.loads(CART, nonsense=1)
        m = driftless.loads(CART)
        with self.assertRaisesRegex(driftless.Error, "no setting 'tolerance'"):
            m.run(tolerance=1)
        s = m.start()
        with self.assertRaisesRegex(driftless.Error, "no value 'y'"):
            s["y"]
        with self.assertRaisesRegex(driftless.Error, "neither an input nor a parameter"):
            s.set("x", 1)
        with self.assertRaisesRegex(driftless.Error, "give one of them"):
            s.advance()
        with self.assertRaises(driftless.Error):
            s.set("u", math.nan)
        with self.assertRaisesRegex(driftless.Error, "not a saved run"):
            s.restore(b"x" * 100)
        s.advance(0.1)

    def test_a_failed_run_has_what_there_is(self):
        with self.assertRaises(driftless.Error) as caught:
            driftless.loads("local x = position('x') mass(x, 1) force(x, x^3) initial{ x = 1 }").run(to=10)
        self.assertEqual(caught.exception.result.status, "failed")
        self.assertGreater(len(caught.exception.result), 2)

    def test_nothing_grows(self):
        def resident():
            with open("/proc/self/statm") as text:
                return int(text.read().split()[1])

        def work(count):
            for _ in range(count):
                driftless.loads(CART, u=1).run(to=0.1)
            gc.collect()

        work(200)
        before = resident()
        work(1000)
        self.assertLess(resident() - before, 500)  # pages: 2 MB


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
