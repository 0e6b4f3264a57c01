"""Writes NumPy arrays (.npy) for the tests. The output is committed unchanged.

    python make.py

numpy 2.4.6.
"""

from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
PRISMS = 0.25 * np.arange(14).reshape(2, 7) - 1


def save(name, array, version=(1, 0)):
    with open(HERE / name, "wb") as file:
        np.lib.format.write_array(file, array, version)


save("f8.npy", PRISMS)
save("f8_big_fortran.npy", np.asfortranarray(PRISMS.astype(">f8")))
save("f4_2.npy", PRISMS.astype("<f4"), (2, 0))
save("f4_big_fortran_3.npy", np.asfortranarray(PRISMS.astype(">f4")), (3, 0))
