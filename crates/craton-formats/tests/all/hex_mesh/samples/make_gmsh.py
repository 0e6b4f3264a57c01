"""Writes samples of meshes with Gmsh for the tests. The output is committed unchanged.

    pip install gmsh numpy
    python make_gmsh.py

Gmsh 4.15.2. Prints the volumes of the blocks, which the tests compare: the top of "soft" is flat, the interface to "rock" is curved.
"""

from pathlib import Path

import gmsh

HERE = Path(__file__).parent
# Size of the box, and heights of the bottom and the top.
LENGTH, WIDTH, BOTTOM, TOP = 3.0, 2.0, -1.0, 1.0
# Heights of the interface at the corners and at the middle points of its edges.
CORNERS = (0.1, -0.2, 0.05, 0.0)
MIDDLES = (0.3, 0.1, -0.25, 0.15)
# Elements along x, y, and z in each layer.
ALONG = (3, 2, 1)
CORNERS_XY = ((0, 0), (LENGTH, 0), (LENGTH, WIDTH), (0, WIDTH))


def level(heights, middles=None):
    """Points and edges of a quadrilateral; edges with middle points are splines."""
    geo = gmsh.model.geo
    points = [geo.addPoint(x, y, z) for (x, y), z in zip(CORNERS_XY, heights)]
    edges = []
    for side in range(4):
        a, b = points[side], points[(side + 1) % 4]
        if middles is None:
            edges.append(geo.addLine(a, b))
        else:
            (xa, ya), (xb, yb) = CORNERS_XY[side], CORNERS_XY[(side + 1) % 4]
            middle = geo.addPoint((xa + xb) / 2, (ya + yb) / 2, middles[side])
            edges.append(geo.addSpline([a, middle, b]))
    return points, edges


def box(two_groups=False):
    """The geometry with its physical groups; `two_groups` puts "rock" also in a second group."""
    geo = gmsh.model.geo
    gmsh.model.add("box")
    levels = [level([BOTTOM] * 4), level(CORNERS, MIDDLES), level([TOP] * 4)]
    surfaces = []
    for _, edges in levels:
        surfaces.append(geo.addSurfaceFilling([geo.addCurveLoop(edges)]))
    sides, volumes = [], []
    for layer, ((below, low), (above, high)) in enumerate(zip(levels, levels[1:])):
        posts = [geo.addLine(a, b) for a, b in zip(below, above)]
        walls = []
        for side in range(4):
            loop = geo.addCurveLoop([low[side], posts[(side + 1) % 4], -high[side], -posts[side]])
            walls.append(geo.addSurfaceFilling([loop]))
        sides += walls
        volumes.append(geo.addVolume([geo.addSurfaceLoop([surfaces[layer], surfaces[layer + 1], *walls])]))
        for post in posts:
            geo.mesh.setTransfiniteCurve(post, ALONG[2] + 1)
    for _, edges in levels:
        for side, edge in enumerate(edges):
            geo.mesh.setTransfiniteCurve(edge, ALONG[side % 2] + 1)
    for surface in surfaces + sides:
        geo.mesh.setTransfiniteSurface(surface)
        geo.mesh.setRecombine(2, surface)
    for volume in volumes:
        geo.mesh.setTransfiniteVolume(volume)
    geo.synchronize()
    rock, soft = volumes
    gmsh.model.addPhysicalGroup(3, [soft], 21, "soft")
    gmsh.model.addPhysicalGroup(3, [rock], 7, "rock")
    if two_groups:
        gmsh.model.addPhysicalGroup(3, [rock], 30, "second group of rock")
    gmsh.model.addPhysicalGroup(2, [surfaces[0]], 1, "bottom")
    gmsh.model.addPhysicalGroup(2, [surfaces[2]], 2, "top")
    gmsh.model.addPhysicalGroup(2, sides, 3, "sides")


def add_speed():
    """A field with one value per element: the element's number plus 1000."""
    _, tags, _ = gmsh.model.mesh.getElements(3)
    tags = [tag for of_type in tags for tag in of_type]
    view = gmsh.view.add("vs")
    gmsh.view.addHomogeneousModelData(view, 0, "box", "ElementData", tags, [1000.0 + tag for tag in tags])
    return view


def volumes():
    """Volumes of the physical groups by the quadrature of Gmsh."""
    found = {}
    for dim, number in gmsh.model.getPhysicalGroups(3):
        total = 0.0
        for entity in gmsh.model.getEntitiesForPhysicalGroup(dim, number):
            for kind in gmsh.model.mesh.getElementTypes(3, entity):
                points, weights = gmsh.model.mesh.getIntegrationPoints(kind, "Gauss8")
                _, determinants, _ = gmsh.model.mesh.getJacobians(kind, points, entity)
                total += sum(d * weights[i % len(weights)] for i, d in enumerate(determinants))
        found[gmsh.model.getPhysicalName(dim, number)] = total
    return found


def sample(name, nodes, version, binary, with_speed=False, partitions=0, **options):
    """Writes one mesh with 8, 20 or 27 nodes per element."""
    gmsh.initialize()
    gmsh.option.setNumber("General.Verbosity", 1)
    box(**options)
    gmsh.model.mesh.generate(3)
    gmsh.option.setNumber("Mesh.SecondOrderIncomplete", nodes == 20)
    if nodes > 8:
        gmsh.model.mesh.setOrder(2)
    if partitions:
        gmsh.option.setNumber("Mesh.PartitionCreateTopology", 0)
        gmsh.option.setNumber("Mesh.PartitionCreateGhostCells", 1)
        gmsh.model.mesh.partition(partitions)
    gmsh.option.setNumber("Mesh.MshFileVersion", version)
    gmsh.option.setNumber("Mesh.Binary", binary)
    gmsh.option.setNumber("PostProcessing.SaveMesh", 0)
    path = HERE / f"{name}.msh"
    gmsh.write(str(path))
    if with_speed:
        gmsh.view.write(add_speed(), str(path), True)
    print(f"{name:24} {path.stat().st_size:6} bytes", volumes() if not partitions else "")
    gmsh.finalize()


sample("v22_ascii_hex8", 8, 2.2, False, with_speed=True)
sample("v22_binary_hex27", 27, 2.2, True, with_speed=True)
sample("v22_ascii_two_groups", 8, 2.2, False, two_groups=True)
sample("v22_binary_partitioned", 8, 2.2, True, partitions=2)
sample("v41_ascii_hex20", 20, 4.1, False)
sample("v41_ascii_hex27", 27, 4.1, False)
sample("v41_binary_hex27", 27, 4.1, True)
sample("v41_binary_hex8", 8, 4.1, True, with_speed=True)
sample("v41_ascii_partitioned", 8, 4.1, False, partitions=2)
sample("v41_binary_partitioned", 8, 4.1, True, partitions=2)
