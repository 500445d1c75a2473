"""Matrices of CalculiX: a steel bar of 20 x 1 x 2 bricks C3D20 has its mass and its frequencies in every frame of reference, and
files that are wrong are refused. Skipped where the program ccx (Debian: calculix-ccx) is not installed.
usage: test_calculix.py PROGRAM"""
import os
import shutil
import subprocess
import sys
import tempfile

program = sys.argv[1]
if not shutil.which("ccx"):
    print("ccx is not installed (Debian: calculix-ccx): matrices of CalculiX are not tried")
    sys.exit(77)
folder = tempfile.TemporaryDirectory()

MODEL = """local p = elastic("p", { K = "bar.sti", M = "bar.mas", dof = "bar.dof", nodes = "bar.inp", modes = 8, frame = "FRAME",
  interfaces = { a = { box = {{0, -1, -1}, {0, 1, 1}} }, b = { box = {{1, -1, -1}, {1, 1, 1}} } } })
free("f", ground, p, { at = {0, 0, 0} })
simulate{ to = .001 }
"""


def write(name, text):
    with open(os.path.join(folder.name, name), "w", encoding="ascii") as file:
        file.write(text)
    return os.path.join(folder.name, name)


def mesh(nx, ny, nz, size):
    """Bricks of 20 nodes: corners and middles of edges of a grid of half the width."""
    ids, nodes = {}, []
    for i in range(2 * nx + 1):
        for j in range(2 * ny + 1):
            for k in range(2 * nz + 1):
                if i % 2 + j % 2 + k % 2 <= 1:
                    ids[i, j, k] = len(nodes) + 1
                    nodes.append((size[0] * i / (2 * nx), size[1] * (j / (2 * ny) - .5), size[2] * (k / (2 * nz) - .5)))
    order = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2), (1, 0, 0), (2, 1, 0),
             (1, 2, 0), (0, 1, 0), (1, 0, 2), (2, 1, 2), (1, 2, 2), (0, 1, 2), (0, 0, 1), (2, 0, 1), (2, 2, 1), (0, 2, 1)]
    return nodes, [[ids[2 * i + a, 2 * j + b, 2 * k + c] for a, b, c in order]
                   for i in range(nx) for j in range(ny) for k in range(nz)]


SPIN = """local p = elastic("p", { K = "bar.sti", M = "bar.mas", dof = "bar.dof", nodes = "bar.inp", modes = 8,
  interfaces = { a = { box = {{0, -1, -1}, {0, 1, 1}} } } LOADS })
revolute("hub", ground, p.a, { at = {0, 0, 0}, axis = {0, 0, 1}, motion = SPEED*time })
simulate{ to = .001 }
"""
FREE = "*STEP\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n12\n*END STEP\n"
SPUN = "*BOUNDARY\nROOT, 1, 3\n*STEP, NLGEOM\n*STATIC\n*DLOAD\nEALL, CENTRIF, 1e4, 0., 0., 0., 0., 0., 1.\n*END STEP\n" \
       "*STEP, PERTURBATION\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n12\n*END STEP\n"


def make_bar(name, steps):
    nodes, elements = mesh(20, 1, 2, (1., .02, .04))
    text = "*NODE, NSET=NALL\n" + "".join(f"{i + 1},{x:.12g},{y:.12g},{z:.12g}\n" for i, (x, y, z) in enumerate(nodes))
    text += "*ELEMENT, TYPE=C3D20, ELSET=EALL\n"
    for i, element in enumerate(elements):
        text += f"{i + 1}," + ",".join(map(str, element[:10])) + ",\n" + ",".join(map(str, element[10:])) + "\n"
    text += "*NSET, NSET=ROOT\n" + "".join(f"{i + 1},\n" for i, node in enumerate(nodes) if node[0] == 0)
    text += "*MATERIAL, NAME=STEEL\n*ELASTIC\n2.1e11,.3\n*DENSITY\n7850\n*SOLID SECTION, ELSET=EALL, MATERIAL=STEEL\n"
    write(name + ".inp", text + steps)
    subprocess.run(["ccx", name], cwd=folder.name, check=True, capture_output=True, timeout=120)


def call(command, model):
    return subprocess.run([program, command, model], capture_output=True, text=True, timeout=120)


def frequencies(text):
    found = set()
    for line in text.splitlines():
        words = line.split()
        try:
            found.add(round(float(words[1]), 3))
        except (IndexError, ValueError):
            pass
    return sorted(w for w in found if w > 1)


def test_stiffening():
    """Turning about z at 100 rad/s: chordwise as Euler's beam at 3.34877, 0.6 % above it at rest, and at another speed; without
    the stiffness under this load far below, and at the higher speed unstable."""
    make_bar("spun", SPUN)
    unit = (2.1e11 * .02**2 / 12 / 7850) ** .5
    spun = ', stiffening = { { K = "spun.sti", dof = "spun.dof", turning = {0, 0, 100} } }'
    for gamma, exact in ((2, 3.62179696), (6, 4.26322542)):
        model = write("spin.lua", SPIN.replace("LOADS", spun).replace("SPEED", repr(gamma * unit)))
        found = frequencies(call("modes", model).stdout)[0] / unit
        assert exact < found < 1.012 * exact, (gamma, found, exact)
    soft = call("modes", write("soft.lua", SPIN.replace("LOADS", "").replace("SPEED", repr(6 * unit)))).stdout
    assert "unstable" in soft, soft
    for wrong, said in ((spun.replace("spun.dof", "bar.dof"), "spun.sti: the stiffness of node"), (spun.replace("{0, 0, 100}", "{1, 1, 1}"), "about one axis"),
                        (spun.replace("turning", "force"), "needs node"), (spun.replace("{0, 0, 100}", "{0, 100, 100}"), "turning about each")):
        refused = call("check", write("wrong.lua", SPIN.replace("LOADS", wrong).replace("SPEED", "1")))
        assert refused.returncode == 2 and said in refused.stderr, (said, refused)
    chord = SPIN.replace("LOADS", spun + ', frame = "buckens"').replace("SPEED", "1")
    refused = call("check", write("wrong.lua", chord))
    assert refused.returncode == 2 and "modes move nodes that are held under this load" in refused.stderr, refused


def main():
    make_bar("bar", FREE)
    test_stiffening()
    slender = (668.104, 1336.208, 1841.654)  # Euler and Bernoulli; shear lowers them by less than 0.6 %
    for frame in ("tangent", "chord", "buckens"):
        model = write(frame + ".lua", MODEL.replace("FRAME", frame))
        checked = call("check", model)
        assert checked.returncode == 0 and "mass 6.28 kg" in checked.stdout, checked
        found = frequencies(call("modes", model).stdout)[:3]
        for w, wanted in zip(found, slender):
            assert .994 * wanted < w < 1.0005 * wanted, (frame, found)
    with open(os.path.join(folder.name, "bar.sti"), encoding="ascii") as file:
        lines = file.read().split("\n")
    write("bar.sti", "\n".join(lines[:40] + ["2 1 77"] + lines[40:]))
    refused = call("check", model)
    assert refused.returncode == 2 and "bar.sti:41: the matrix is not symmetric" in refused.stderr, refused
    write("bar.sti", "\n".join(lines[:-200]))
    refused = call("check", model)
    assert refused.returncode == 2 and "bar.sti" in refused.stderr, refused
    write("bar.sti", "\n".join(lines))
    for file in ("../bar.sti", "/etc/passwd"):
        refused = call("check", write("out.lua", MODEL.replace("FRAME", "chord").replace("bar.sti", file)))
        assert refused.returncode == 2, refused


main()
