"""Model exchange with contacts, events and samples that act: integrated here by the classical method of Runge
and Kutta, with steps that end just beyond the zeros of event indicators and at announced times, exported models
give the motion of the program; a state that is restored goes on with the same bits.
usage: test_exchange.py PROGRAM SOURCE-FOLDER"""
import csv
import ctypes
import io
import os
import subprocess
import sys
import tempfile

program, root = sys.argv[1:3]
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import fmu2

folder = tempfile.TemporaryDirectory()


def export(model):
    path = os.path.join(folder.name, "it.fmu")
    subprocess.run([program, "export", model, "--quiet", "--fmu", "2", "--kind", "me", "--rtol", "1e-8",
                    "--output", path], check=True)
    return fmu2.Archive(path)


def run(model, end):
    text = subprocess.run([program, "run", model, "--quiet", "--to", str(end), "--every", str(end), "--rtol",
                           "1e-10", "--output", "-"], check=True, capture_output=True, text=True).stdout
    rows = list(csv.reader(io.StringIO(text)))
    return dict(zip(rows[0], map(float, rows[-1])))


class Driver(fmu2.Instance):
    def __init__(self, archive):
        super().__init__(archive, exchange=True)
        self.n, self.t, self.events = len(archive.states), 0.0, 0
        self.start()
        self.update()

    def vector(self, name, size, values=None):
        array = (ctypes.c_double * size)(*(values or []))
        self.call(name, array, ctypes.c_size_t(size))
        return list(array)

    def update(self):
        info = fmu2.EventInfo()
        self.call("NewDiscreteStates", ctypes.byref(info))
        assert not info.again and not info.terminate
        self.next = info.time if info.timed else float("inf")
        self.call("EnterContinuousTimeMode")
        self.x = self.vector("GetContinuousStates", self.n)

    def at(self, t, x):
        self.call("SetTime", ctypes.c_double(t))
        self.vector("SetContinuousStates", self.n, x)

    def signs(self, t, x):
        self.at(t, x)
        count = self.archive.indicators
        return [z > 0 for z in self.vector("GetEventIndicators", count)] if count else []

    def moved(self, h):
        """The state after a step, which is not taken."""
        slopes, total = [0.0] * self.n, list(self.x)
        for place, weight in ((0, 1), (0.5, 2), (0.5, 2), (1, 1)):
            y = [a + place * h * b for a, b in zip(self.x, slopes)]
            self.at(self.t + place * h, y)
            slopes = self.vector("GetDerivatives", self.n)
            total = [a + h * weight / 6 * b for a, b in zip(total, slopes)]
        return total

    def advance(self, end, longest):
        while self.t < end:
            to = min(self.t + longest, end, self.next)
            h = to - self.t
            signs = self.signs(self.t, self.x)
            event = to == self.next
            if self.signs(to, self.moved(h)) != signs:
                event, low = True, 0.0
                for _ in range(60):
                    middle = (low + h) / 2
                    if self.signs(self.t + middle, self.moved(middle)) != signs:
                        h = middle
                    else:
                        low = middle
                to = self.t + h
            self.x, self.t = self.moved(h), to
            self.at(self.t, self.x)
            wanted, stop = ctypes.c_int(), ctypes.c_int()
            self.call("CompletedIntegratorStep", 1, ctypes.byref(wanted), ctypes.byref(stop))
            assert not stop.value
            if event or wanted.value:
                self.events += 1
                self.call("EnterEventMode")
                self.update()
        self.at(self.t, self.x)


def check(model, end, longest, bound):
    archive = export(model)
    expected = run(model, end)
    it = Driver(archive)
    it.advance(0.3 * end, longest)
    saved = it.save(), it.t, it.x, it.next
    it.advance(end, longest)
    names = [n for n in archive.reference if n.replace("'", "") in expected and n != "time"]
    values = it.get(names)
    worst = max(abs(v - expected[n.replace("'", "")]) / max(1e-3, abs(v)) for v, n in zip(values, names))
    print("%-16s %8.1e, %d events" % (os.path.basename(model), worst, it.events))
    assert worst < bound and it.events > 0
    other = Driver(archive)
    other.restore(saved[0])
    other.t, other.x, other.next = saved[1:]
    other.advance(end, longest)
    assert other.get(names) == values
    it.free()
    other.free()


check(os.path.join(here, "sampled.lua"), 1.97, 5e-3, 1e-6)
check(os.path.join(root, "examples", "ball.lua"), 2.0, 1e-2, 1e-6)
check(os.path.join(root, "examples", "backlash.lua"), 0.45, 2e-3, 1e-5)
check(os.path.join(root, "examples", "woodpecker.lua"), 0.1, 1e-4, 1e-5)
