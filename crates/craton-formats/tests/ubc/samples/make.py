"""Writes the mesh and the model that the tests read; they are committed as they came out.

    python make.py

discretize 0.12.0, numpy 2.4.6. The model tells the place of its cell: 100 i + 10 j + k, all from 0 and k upward.
"""

from pathlib import Path

import numpy as np
from discretize import TensorMesh

HERE = Path(__file__).parent

mesh = TensorMesh([[100, 50, 50], [25, 75], [40, 20, 10, 10]], origin=[1000, 2000, 70])
i, j, k = (np.floor(axis) for axis in np.meshgrid(range(3), range(2), range(4), indexing="ij"))
model = (100 * i + 10 * j + k).ravel(order="F")
mesh.write_UBC("discretize.msh", {"discretize.den": model}, directory=str(HERE))
