"""Bodies of matrices in HDF5 files: the same body as of texts, in both forms of a matrix, and what is refused, with file and
data set, before memory is taken.
usage: test_matrix_files.py PROGRAM"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError:
    print("h5py (Debian: python3-h5py) is not installed: HDF5 files of elastic bodies are not tried")
    sys.exit(77)

program = sys.argv[1]
folder = tempfile.TemporaryDirectory()

MODEL = """local p = elastic("p", { K = "K_", M = "M_", dof = "DOF", nodes = "NODES", modes = 4,
  interfaces = { a = {1}, b = {9} }, watch = {5} })
revolute("hub", ground, p.a, { at = {0, 0, 0}, axis = {0, 1, 0}, motion = 2*time })
output("tip", deflection(p.b, "z"))
simulate{ to = .1, every = .01, rtol = 1e-8 }
"""


def path(name):
    return os.path.join(folder.name, name)


def write(name, text):
    with open(path(name), "w", encoding="ascii") as file:
        file.write(text)
    return path(name)


def bars(x, EA, EI, EI2, GJ, rho, J):
    """Beam elements along x, six unknowns per node: stiffness and mass (consistent)."""
    n = 6 * len(x)
    K, M = np.zeros((n, n)), np.zeros((n, n))
    for e in range(len(x) - 1):
        L = x[e + 1] - x[e]
        two = np.array([[1, -1], [-1, 1]]) / L
        shared = np.array([[2, 1], [1, 2]]) * L / 6
        bend = np.array([[12, 6 * L, -12, 6 * L], [6 * L, 4 * L * L, -6 * L, 2 * L * L], [-12, -6 * L, 12, -6 * L],
                         [6 * L, 2 * L * L, -6 * L, 4 * L * L]]) / L**3
        carried = np.array([[156, 22 * L, 54, -13 * L], [22 * L, 4 * L * L, 13 * L, -3 * L * L], [54, 13 * L, 156, -22 * L],
                            [-13 * L, -3 * L * L, -22 * L, 4 * L * L]]) * L / 420
        turn = np.diag([1, -1, 1, -1])  # w' = -(turn about y)
        for dofs, k, m in (([0, 6], EA * two, rho * shared), ([3, 9], GJ * two, J * shared),
                           ([1, 5, 7, 11], EI * bend, rho * carried),
                           ([2, 4, 8, 10], EI2 * turn @ bend @ turn, rho * turn @ carried @ turn)):
            at = np.ix_([6 * e + d for d in dofs], [6 * e + d for d in dofs])
            K[at] += k
            M[at] += m
    return K, M


def tension(x, N):
    """What forces N along the elements add to the stiffness."""
    K = np.zeros((6 * len(x), 6 * len(x)))
    for e, force in enumerate(N):
        L = x[e + 1] - x[e]
        A = force / (30 * L) * np.array([[36, 3 * L, -36, 3 * L], [3 * L, 4 * L * L, -3 * L, -L * L], [-36, -3 * L, 36, -3 * L],
                                         [3 * L, -L * L, -3 * L, 4 * L * L]])
        turn = np.diag([1, -1, 1, -1])
        for dofs, k in (([1, 5, 7, 11], A), ([2, 4, 8, 10], turn @ A @ turn)):
            at = np.ix_([6 * e + d for d in dofs], [6 * e + d for d in dofs])
            K[at] += k
    return K


def triplets(A):
    i, k = np.nonzero(np.triu(A))
    return np.column_stack([i + 1, k + 1, A[i, k]])


def csv(rows):
    return "".join(",".join(f"{x:.17g}" for x in row) + "\n" for row in rows)


def call(text, *options):
    model = write("m.lua", text)
    return subprocess.run([program, "run", model, "--output", "-", "--quiet", *options], capture_output=True, text=True,
                          timeout=120)


def refused(text, *said):
    done = call(text)
    assert done.returncode == 2, done
    for part in said:
        assert part in done.stderr, (part, done.stderr)


def filled(K, M, dof, nodes):
    return MODEL.replace("K_", K).replace("M_", M).replace("DOF", dof).replace("NODES", nodes)


def main():
    x = np.linspace(0, 1, 9)
    K, M = bars(x, 5e6, 30., 50., 40., 2., 1e-3)
    nodes = np.column_stack([np.arange(1, 10), x, 0 * x, 0 * x])
    dof = np.array([[i + 1, d + 1] for i in range(9) for d in range(6)])
    for name, rows in (("K", triplets(K)), ("M", triplets(M)), ("dof", dof), ("nodes", nodes)):
        write(name + ".csv", csv(rows))
    with h5py.File(path("b.h5"), "w") as f:
        f["K"], f["M"], f["nodes"], f["dof"] = triplets(K), M, nodes, dof.astype("i4")
        f.create_dataset("part/K", data=K, chunks=(9, 9), compression="gzip")
    texts = call(filled("K.csv", "M.csv", "dof.csv", "nodes.csv"))
    assert texts.returncode == 0 and texts.stdout.count("\n") == 12, texts
    assert call(filled("b.h5", "b.h5", "b.h5", "b.h5")).stdout == texts.stdout
    assert call(filled("b.h5:/part/K", "M.csv", "b.h5:/dof", "b.h5:/nodes")).stdout == texts.stdout
    test_loads(x, K, M, nodes, dof)
    test_damaged(K, M, nodes, dof)


def test_loads(x, K, M, nodes, dof):
    """Columns fall over beyond Euler's force pi^2 EI / 4 L^2 and Greenhill's weight 7.8373 EI / L^2: with the stiffness under a
    force of 1 N and under gravity of 10 m/s^2; and a cantilever that turns."""
    weight = 2. * 10
    mean = (x[:-1] + x[1:]) / 2
    with h5py.File(path("loads.h5"), "w") as f:
        f["K"], f["M"], f["nodes"], f["dof"] = K, M, nodes, dof
        f["pulled"] = K + tension(x, 0 * mean + 1)
        f["hung"] = K + tension(x, weight * (1 - mean))
        f["spun"] = triplets(K + tension(x, 2. * (1 - mean**2) / 2 * 9))
    model = """gravity{GRAVITY, 0, 0}
local p = elastic("p", { K = "loads.h5", M = "loads.h5", dof = "loads.h5", nodes = "loads.h5", modes = 12, interfaces = { a = {1}, b = {9} },
  stiffening = { { K = "loads.h5:/pulled", node = "b", force = {1, 0, 0} }, { K = "loads.h5:/hung", gravity = {10, 0, 0} },
                 { K = "loads.h5:/spun", turning = {0, 0, 3}, softened = false } } })
HOLD
wrench("push", ground, p.b, { at = {1, 0, 0}, force = {-FORCE, 0, 0} })
simulate{ to = .1 }
"""

    def modes(gravity, force, hold='fixed("foot", ground, p.a)'):
        text = model.replace("GRAVITY", repr(gravity)).replace("FORCE", repr(force)).replace("HOLD", hold)
        done = subprocess.run([program, "modes", write("m.lua", text), "--at", "equilibrium", "--json"], capture_output=True, text=True,
                              timeout=120)
        assert done.returncode == 0, done
        return [complex(r["re"], r["im"]) for r in json.loads(done.stdout)["eigenvalues"]]
    for load, critical in ((lambda c: (0, c), 2.4674011 * 30), (lambda c: (-c / 2., 0), 7.8373 * 30)):
        assert max(r.real for r in modes(*load(.99 * critical))) < 1e-3
        assert max(r.real for r in modes(*load(1.01 * critical))) > .1
    unit = (30 / 2.)**.5  # chordwise at 6 units; static shapes approach it from above
    spin = f'revolute("hub", ground, p.a, {{ at = {{0, 0, 0}}, axis = {{0, 0, 1}}, motion = {6 * unit!r}*time }})'
    slowest = min(abs(r.imag) for r in modes(0, 0, spin)) / unit
    assert 4.26 < slowest < 4.263 * 1.01, slowest


def test_damaged(K, M, nodes, dof):
    good = {"K": triplets(K), "M": M, "nodes": nodes, "dof": dof}

    def bad(said, **sets):
        with h5py.File(path("bad.h5"), "w") as f:
            for name, rows in {**good, **sets}.items():
                if rows is not None:
                    f[name] = rows
        refused(filled(*["bad.h5"] * 4), *said)
    uneven = M.copy()
    uneven[0, 6] += 1
    bad(["bad.h5:/M:7: the matrix is not symmetric"], M=uneven)
    lone = K.copy()
    lone[0, 6] = 0
    bad(["bad.h5:/K:7: the matrix is not symmetric", "0 on the other side"], K=lone)
    infinite = triplets(K)
    infinite[4, 2] = np.inf
    bad(["bad.h5:/K:5: a number is not finite"], K=infinite)
    bad(["bad.h5:/nodes:3:", "finite"], nodes=np.where(nodes == .25, np.nan, nodes))
    bad(["bad.h5:/M: the mass of node 5 in direction 2 is 0"], M=np.where(np.arange(54) == 25, 0, M) * (np.arange(54) != 25)[:, None])
    light = M.copy()
    light[27] = light[:, 27] = 0  # node 5 twists without mass
    bad(["bad.h5:/M: the mass matrix of the elastic body is not positive definite"], M=light)
    bad(["bad.h5:/K: the stiffness resists a shift along x"], K=K + np.eye(54))
    bad(["bad.h5:/K:", "row or column 49, but the nodes have 48 unknowns"], nodes=nodes[:-1], dof=dof[:48])
    bad(["bad.h5:/dof:49: this node is not among the nodes"], nodes=nodes[:-1])
    bad(["bad.h5:/nodes: it has 9 rows of 3 numbers; nodes have rows of 4"], nodes=nodes[:, :3])
    bad(["bad.h5:/K: it has 54 rows of 50 numbers"], K=K[:, :50])
    bad(["bad.h5:/M: the file has no data set 'M'"], M=None)
    bad(["bad.h5:/M: the file has no data set"], M=np.array([b"one", b"two"]))
    with h5py.File(path("bad.h5"), "w") as f:  # nothing is read from other files, and no memory taken for declared sizes
        f["K"], f["dof"], f["nodes"] = good["K"], dof, nodes
        f["M"] = h5py.ExternalLink("b.h5", "/M")
        f["alias"] = h5py.SoftLink("/K")
        f.create_dataset("outside", shape=(54, 54), dtype="f8", external=[(path("b.h5"), 0, 54 * 54 * 8)])
        f.create_dataset("huge", shape=(50000, 50000), dtype="f8", chunks=(100, 100), compression="gzip")
        f.create_dataset("wide", shape=(70000, 70000), dtype="u1", chunks=(70000, 1))
    refused(filled(*["bad.h5"] * 4), "'M' is a link")
    refused(filled("bad.h5", "bad.h5:/outside", "bad.h5", "bad.h5"), "'outside' is stored in other files")
    refused(filled("bad.h5:/alias", "b.h5", "bad.h5", "bad.h5"), "'alias' is a link")
    for name in ("huge", "wide"):
        refused(filled("bad.h5:/" + name, "b.h5", "bad.h5", "bad.h5"), "declares more than the file contains")
    refused(filled("K.csv:/K", "b.h5", "b.h5", "b.h5"), "K.csv:/K: this is no HDF5 file")
    refused(filled("/tmp/b.h5", "b.h5", "b.h5", "b.h5"), "only files below the model's folder")
    refused(filled("../b.h5:/K", "b.h5", "b.h5", "b.h5"), "elastic body '../b.h5'")
    with open(path("b.h5"), "rb") as file:
        data = file.read()
    for cut in (9, 100, len(data) // 2):
        with open(path("bad.h5"), "wb") as file:
            file.write(data[:cut])
        refused(filled(*["bad.h5"] * 4), "bad.h5")


main()
