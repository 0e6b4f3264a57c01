"""Writes the UBC files that the tests read. The output is committed unchanged.

    python make.py

discretize 0.12.0, simpeg 0.25.2, numpy 2.4.6. The model value of cell (i, j, k) is 100 i + 10 j + k, counted from 0, k
upward. SimPEG's axes are x east, y north, z up, so components are reordered and signs change.
"""

from pathlib import Path

import numpy as np
from discretize import TensorMesh
from simpeg.data import Data
from simpeg.potential_fields import gravity
from simpeg.utils.io_utils import write_gg3d_ubc, write_grav3d_ubc

HERE = Path(__file__).parent
POINTS = np.array([[1000, 2000, 151.5], [1050, 2000, 153]])


def data(components, values, uncertainties):
    stations = gravity.receivers.Point(POINTS, components=components)
    survey = gravity.survey.Survey(gravity.sources.SourceField([stations]))
    return Data(survey, dobs=np.array(values), standard_deviation=np.array(uncertainties))


mesh = TensorMesh([[100, 50, 50], [25, 75], [40, 20, 10, 10]], origin=[1000, 2000, 70])
i, j, k = (np.floor(axis) for axis in np.meshgrid(range(3), range(2), range(4), indexing="ij"))
model = (100 * i + 10 * j + k).ravel(order="F")
mesh.write_UBC("discretize.msh", {"discretize.den": model}, directory=str(HERE))
write_grav3d_ubc(str(HERE / "simpeg.grv"), data(["gz"], [-0.83, -0.81], [0.05, 0.04]))
gradients = data(["gxy", "gyz", "gxx"], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
write_gg3d_ubc(str(HERE / "simpeg.gg"), gradients)
