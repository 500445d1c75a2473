"""A CSV and an HDF5 result of one run have the same names and the same bits."""
import csv
import sys

import h5py
import numpy as np

with open(sys.argv[1], newline="", encoding="utf-8") as file:
    header, *rows = csv.reader(file)
rows = np.array(rows, dtype=float)
with h5py.File(sys.argv[2], "r") as f:
    assert header == ["time", *f["state"].attrs["names"], *f["outputs"].attrs["names"]]
    assert np.array_equal(rows, np.hstack([f["time"][:][:, None], f["state"][:], f["outputs"][:]]))
