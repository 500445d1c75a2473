"""What reports show of elastic bodies: colours are the bending moments of beams and frames, points the deflections, magnified.
usage: test_scene.py PROGRAM"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import h5py
except ImportError:
    print("h5py (Debian: python3-h5py) is not installed: scenes of elastic bodies are not tried")
    sys.exit(77)

program = sys.argv[1]
folder = tempfile.TemporaryDirectory()

BEAM = """planar() gravity{0, -9.81}
local b = elastic("b", { beam = { from = {0, 0}, to = {1, 0}, EI = 14.6, EA = 7e6, mass_per_length = .27 }, modes = 3, damping = .02,
  nodes = { root = 0, tip = 1 }, frame = "tangent", magnify = 5 })
fixed("hub", ground, b.root)
output("first", beam_load(b.root)) output("last", beam_load(b.tip)) output("y", deflection(b.tip))
simulate{ to = .2, every = .02 }
"""
FRAME = """gravity{0, 0, -9.81}
local b = elastic("b", { section = { width = .01, height = .02, E = 7e10, density = 2700 }, magnify = 7, interfaces = {"root", "tip"},
  modes = 2, points = { root = {0, 0, 0}, tip = {1, 0, 0}, end_ = {1, 1, 0} },
  beams = { { between = {"root", "tip"}, up = {0, 0, 1} }, { between = {"tip", "end_"} } } })
fixed("hub", ground, b.root)
local M, M2 = beam_load(b.root), beam_load(b.root, "moment2")
local N, N2 = beam_load(b.tip, "moment", 1), beam_load(b.tip, "moment2", 1)
output("first", sqrt(M*M + M2*M2)) output("last", sqrt(N*N + N2*N2)) output("y", deflection(b.tip, "z"))
simulate{ to = .02, every = .002 }
"""


def lines(model):
    """Columns of the shape of the body, or of its first line, over time; a column that does not change is a number."""
    with open(os.path.join(folder.name, "m.lua"), "w", encoding="ascii") as file:
        file.write(model)
    out = os.path.join(folder.name, "m.h5")
    subprocess.run([program, "run", file.name, "--quiet", "--output", out], check=True, timeout=60)
    with h5py.File(out, "r") as f:
        values, next_column = f["scene/values"][:], 0
        outputs = dict(zip(f["outputs"].attrs["names"], f["outputs"][:].T))
        for shape in json.loads(f["scene/shapes"][()].decode())["shapes"]:
            columns = []
            for column in shape["columns"]:
                columns.append(values[:, next_column] if column is None else column + 0 * values[:, 0])
                next_column += column is None
            if shape["name"] in ("b", "b.1"):
                return shape, columns, outputs
    raise AssertionError("the body is not shown")


def main():
    for model, axis, magnify in ((BEAM, 1, 5), (FRAME, 2, 7)):
        shape, columns, outputs = lines(model)
        points = (len(columns) - 1) // 4
        assert shape["kind"] == "line" and shape["value"] == "bending moment, N m" and points > 3, shape
        moments = columns[3 * points + 1:]
        assert max(abs(outputs["first"])) > .1
        assert max(abs(moments[0] - outputs["first"])) < 1e-6 * max(abs(outputs["first"]))
        assert max(abs(moments[-1] - outputs["last"])) < 1e-6 * max(abs(outputs["first"]))
        tip = columns[3 * (points - 1) + axis]
        assert max(abs(tip - magnify * outputs["y"])) < 1e-6 * max(abs(tip)) and max(abs(tip)) > 1e-4


main()
