"""Reads the files that test_hdf5.c writes, as a user would with h5py."""
import sys

import h5py
import numpy as np

with h5py.File(sys.argv[1], "r") as f:
    names = ["x", "y", "der(x)", "der(y)", "r", "lambda(rod)"]
    levels = ["position", "velocity", "acceleration", "nonholonomic", "contact", "auxiliary",
              "invariant", "massless"]
    assert sorted(f) == ["events", "impulses", "initial", "meta", "outputs", "residuals", "rows",
                         "scene", "state", "steps", "switches", "time"]
    assert list(f["state"].attrs["names"]) == names
    assert list(f["outputs"].attrs["names"]) == ["height"]
    assert list(f["residuals"].attrs["names"]) == levels
    assert [name.decode() for name in f["meta/names/state"]] == names
    assert [name.decode() for name in f["meta/names/events"]] == ["bottom"]
    assert f["meta/model"][()] == b"swing"
    assert f["meta/text"][()].decode().endswith("-- π\n")
    assert [name.decode() for name in f["meta/parameters/names"]] == ["m", "g"]
    assert [unit.decode() for unit in f["meta/parameters/units"]] == ["kg", ""]
    assert list(f["meta/parameters/values"]) == [2, 9.81]
    assert f["meta/options/form"][()] == b"psf" and f["meta/options/rtol"][()] == 1e-8
    rows = len(f["time"])
    assert f["state"].shape == (rows, 6) and f["outputs"].shape == (rows, 1)
    assert f["rows/energy"].shape == (rows,) and f["rows/residuals"].shape == (rows, 8)
    assert list(f["rows/residuals"].attrs["names"]) == levels
    k = 2 * f["time"][:]
    assert np.allclose(f["state"][:, 0], k + 0.4, atol=1e-9) and np.array_equal(f["outputs"][:, 0], -k)
    steps = len(f["steps/time"])
    assert f["residuals"].shape == (steps, 8) and abs(steps - rows) <= 1
    assert np.array_equal(f["steps/time"][: min(rows, steps)], f["time"][: min(rows, steps)])
    if sys.argv[2] == "completed":
        assert rows == 10 and list(f["initial/held"]) == [1, 0, 0, 0, 0, 0]
        assert f["initial/given"][1] == 0.5 and f["initial/corrected"][5] == 0
        assert list(f["steps/order"]) == [5] * 10 and list(f["steps/energy"]) == [10] * 10
        assert list(f["events/time"]) == [0.5, 2.5, 4.5]
        assert list(f["events/event"]) == [0] * 3 and list(f["events/direction"]) == [-1] * 3
        assert list(f["switches/time"]) == [0.5, 2.5, 4.5] and list(f["switches/state"]) == [2] * 3
        kinds = [kind.decode() for kind in f["meta/names/switch_kinds"]]
        assert [kinds[k] for k in f["switches/kind"]] == ["impact"] * 3
        assert [f["meta/names/switches"][k] for k in f["switches/name"]] == [b"floor"] * 3
        assert list(f["switches/energy_change"]) == [-3] * 3
        assert list(f["impulses/switch"]) == [0, 0, 1, 1, 2, 2]
        assert [f["meta/names/impulses"][k] for k in f["impulses/name"]] == [b"floor", b"rod"] * 3
        assert list(f["impulses/value"]) == [7, -8] * 3
        assert f["meta/status"][()] == b"completed" and f["meta/message"][()] == b""
        assert f["meta/statistics/accepted"][()] == 9
        assert f["meta/statistics/energy_drift"][()] == 2e-9
        assert f["meta/statistics/max_residual"][0] == 1e-12
        assert np.isnan(f["meta/statistics/max_residual"][4])
    else:
        assert f["meta/status"][()] == b"running"
        assert rows > 1000 or sys.argv[2] == "starved"
