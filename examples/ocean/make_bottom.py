"""Writes sea_bottom.asc: a continental slope with a canyon."""

import math

STEP, WIDTH, HEIGHT = 250.0, 12_000.0, 6_000.0


def elevation(x, y):
    slope = -600.0 - 1_200.0 / (1.0 + math.exp(-(x - 6_000.0) / 1_200.0))
    canyon = -150.0 * math.exp(-(((y - 3_000.0) / 700.0) ** 2)) * math.exp(-(((x - 5_500.0) / 2_500.0) ** 2))
    return slope + canyon


columns, rows = int(WIDTH / STEP) + 1, int(HEIGHT / STEP) + 1
with open("sea_bottom.asc", "w", encoding="ascii") as file:
    file.write(f"ncols {columns}\nnrows {rows}\nxllcenter 0.0\nyllcenter 0.0\ncellsize {STEP}\n")
    for row in reversed(range(rows)):
        values = (elevation(column * STEP, row * STEP) for column in range(columns))
        file.write(" ".join(f"{value:.2f}" for value in values) + "\n")
