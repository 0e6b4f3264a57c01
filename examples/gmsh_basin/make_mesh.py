"""Meshes a basin below a hill with Gmsh and writes basin.msh: `pip install gmsh numpy`, then `python make_mesh.py`."""

import math

import gmsh
import numpy as np

WIDTH, BOTTOM, FLOOR = 20e3, -8e3, -2e3  # side of the box, its bottom, and the floor of the basin [m]
AXES = (5e3, 4e3)  # semi-axes of the basin [m]
SIZE = 1200.0  # edge of an element [m]

gmsh.initialize()
gmsh.option.setNumber("General.Terminal", 0)
occ = gmsh.model.occ
box = occ.addRectangle(0, 0, BOTTOM, WIDTH, WIDTH)
basin = occ.addDisk(9e3, 11e3, BOTTOM, *AXES)
occ.fragment([(2, box)], [(2, basin)])
occ.synchronize()

# Quadrilaterals at the bottom, extruded to hexahedra: six layers of rock, and three above the floor of the basin.
for name, value in [("MeshSizeMin", SIZE), ("MeshSizeMax", SIZE), ("Algorithm", 8), ("RecombineAll", 1), ("SubdivisionAlgorithm", 1)]:
    gmsh.option.setNumber(f"Mesh.{name}", value)
lower = occ.extrude(gmsh.model.getEntities(2), 0, 0, FLOOR - BOTTOM, numElements=[6], recombine=True)
tops = [entity for entity in lower if entity[0] == 2 and abs(occ.getCenterOfMass(*entity)[2] - FLOOR) < 1]
occ.extrude(tops, 0, 0, -FLOOR, numElements=[3], recombine=True)
occ.synchronize()


def is_basin(volume):
    own = math.pi * AXES[0] * AXES[1] * -FLOOR
    return occ.getCenterOfMass(3, volume)[2] > FLOOR and abs(occ.getMass(3, volume) / own - 1) < 1e-6


volumes = [volume for _, volume in gmsh.model.getEntities(3)]
gmsh.model.addPhysicalGroup(3, [volume for volume in volumes if not is_basin(volume)], name="rock")
gmsh.model.addPhysicalGroup(3, [volume for volume in volumes if is_basin(volume)], name="sediments")
ground = [surface for _, surface in gmsh.model.getEntities(2) if abs(occ.getCenterOfMass(2, surface)[2]) < 1]
gmsh.model.addPhysicalGroup(2, ground, name="ground")
gmsh.model.mesh.generate(3)

# A hill that lifts the nodes above the floor of the basin.
tags, nodes, _ = gmsh.model.mesh.getNodes()
for tag, (x, y, z) in zip(tags, np.reshape(nodes, (-1, 3))):
    hill = 600 * math.exp(-((x - 12e3) ** 2 + (y - 6e3) ** 2) / (2 * 2500**2))
    if z > FLOOR:
        gmsh.model.mesh.setNode(int(tag), [x, y, z + hill * (z - FLOOR) / -FLOOR], [])
gmsh.option.setNumber("Mesh.Binary", 1)
gmsh.write("basin.msh")
gmsh.finalize()
