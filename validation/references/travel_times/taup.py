"""Writes `prem_mantle.txt`: arrivals in PREM with its mantle extended to the surface, computed by TauP in ObsPy 1.5.1.

    python taup.py
"""

import tempfile
from pathlib import Path

import numpy as np
import obspy.taup
from obspy.taup import TauPyModel
from obspy.taup.taup_create import build_taup_model

RADIUS = 6371.0
SPACING = 10.0
DEPTH = 300.0
DISTANCES = [8, 12, 38, 40, 42, 44]
# In TauP, upgoing phases have lower-case letters; close to the source they are the only arrivals of P and S.
PHASES = {"P": ["p", "P"], "S": ["s", "S"], "pP": ["pP"], "sP": ["sP"], "ScS": ["ScS"]}

# Depth range [km], then polynomials of vp, vs [km/s] and density [g/cm3] in r / 6371 km: Dziewonski & Anderson (1981), table I.
UPPER = ([4.1875, 3.9382], [2.1519, 2.3481], [2.6910, 0.6924])
LOWER = [7.9565, -6.4761, 5.5283, -3.0807]
LAYERS = [
    (0, 220, *UPPER),
    (220, 400, [20.3926, -12.2569], [8.9496, -4.4597], [7.1089, -3.8045]),
    (400, 600, [39.7027, -32.6166], [22.3512, -18.5856], [11.2494, -8.0298]),
    (600, 670, [19.0957, -9.8672], [9.9839, -4.9324], [5.3197, -1.4836]),
    (670, 771, [29.2766, -23.6027, 5.5242, -2.5514], [22.3459, -17.2473, -2.0834, 0.9783], LOWER),
    (771, 2741, [24.9520, -40.4673, 51.4832, -26.6419], [11.1671, -13.7818, 17.4575, -9.2777], LOWER),
    (2741, 2891, [15.3891, -5.3181, 5.5242, -2.5514], [6.9254, 1.4672, -2.0834, 0.9783], LOWER),
]
# TauP requires values of attenuation but does not use them.
NO_ATTENUATION = "57823.0 600.0"


def rows():
    for top, bottom, *laws in LAYERS:
        for depth in np.linspace(top, bottom, round((bottom - top) / SPACING) + 1):
            values = [np.polynomial.polynomial.polyval((RADIUS - depth) / RADIUS, law) for law in laws]
            yield f"{depth:.3f} " + " ".join(f"{value:.7f}" for value in values) + f" {NO_ATTENUATION}\n"


def model(folder):
    core = (Path(obspy.taup.__file__).parent / "data" / "prem.nd").read_text().split("outer-core")[1]
    own = Path(folder) / "prem_mantle.nd"
    own.write_text("".join(rows()) + "outer-core" + core)
    build_taup_model(str(own), output_folder=folder)
    return TauPyModel(str(own.with_suffix(".npz")))


HEADER = f"""\
# Arrivals by TauP (ObsPy 1.5.1) in isotropic PREM, the mantle's law from 24.4 to 220 km going on up to the surface; source {DEPTH:g} km deep.
# columns: phase distance_deg time_s ray_parameter_s_deg takeoff_deg
"""

with tempfile.TemporaryDirectory() as folder:
    prem = model(folder)
    with open(Path(__file__).parent / "prem_mantle.txt", "w") as table:
        table.write(HEADER)
        for name, names in PHASES.items():
            for distance in DISTANCES:
                for arrival in prem.get_travel_times(DEPTH, distance, names):
                    numbers = f"{arrival.time:.2f} {arrival.ray_param_sec_degree:.4f} {arrival.takeoff_angle:.2f}"
                    table.write(f"{name} {distance} {numbers}\n")
