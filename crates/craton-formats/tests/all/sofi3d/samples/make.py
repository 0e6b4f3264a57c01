"""Writes a model of SOFI3D with NumPy for the tests. The output is committed unchanged.

    python make.py

NumPy 2.
"""

from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
NX, NY, NZ = 3, 4, 2

# SOFI3D reads z in the outer, x in the middle and y in the inner loop: shape (z, x, y) in the order of C.
z, x, y = np.meshgrid(np.arange(1, NZ + 1), np.arange(1, NX + 1), np.arange(1, NY + 1), indexing="ij")
# The number of each point along x, y and z, from 1, as decimal digits.
values = 1000.0 + 100.0 * x + 10.0 * y + z
(HERE / "model").mkdir(exist_ok=True)
values.astype("<f4").tofile(HERE / "model" / "test.vp")
(values / 2.0).astype("<f4").tofile(HERE / "model" / "test.vs")
