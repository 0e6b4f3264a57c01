"""Writes samples of Exodus II and VTU meshes for the tests. The output is committed unchanged.

    python make_meshio.py

meshio 5.3.5, netCDF4 1.7.5.1.post1, vtk 9.7.2, numpy 2.4.6.

The box 0 <= x <= 3, 0 <= y <= 2, 0 <= z <= 2 has 3 x 2 x 2 elements in two layers, with the interface z = 1 + x (3 - x) / 10 + y (2 - y) / 20.
"""

from pathlib import Path

import meshio
import netCDF4
import numpy as np
import vtk
from vtk.util.numpy_support import numpy_to_vtk, vtk_to_numpy

HERE = Path(__file__).parent
SHAPE = (3, 2, 2)

# Places of the nodes of an element in each program's order, from 0 to 2 along each axis.
CORNERS = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2)]
BOTTOM = [(1, 0, 0), (2, 1, 0), (1, 2, 0), (0, 1, 0)]
TOP = [(1, 0, 2), (2, 1, 2), (1, 2, 2), (0, 1, 2)]
VERTICAL = [(0, 0, 1), (2, 0, 1), (2, 2, 1), (0, 2, 1)]
VTK = CORNERS + BOTTOM + TOP + VERTICAL + [(0, 1, 1), (2, 1, 1), (1, 0, 1), (1, 2, 1), (1, 1, 0), (1, 1, 2), (1, 1, 1)]
EXODUS = (
    CORNERS + BOTTOM + VERTICAL + TOP
    + [(1, 1, 1), (1, 1, 0), (1, 1, 2), (0, 1, 1), (2, 1, 1), (1, 0, 1), (1, 2, 1)]
)
QUAD = [(0, 0), (2, 0), (2, 2), (0, 2), (1, 0), (2, 1), (1, 2), (0, 1), (1, 1)]
# Sides of Exodus: element face and name.
SIDES = {"ymin": 1, "xmax": 2, "ymax": 3, "xmin": 4, "bottom": 5, "top": 6}


class Box:
    """Nodes on a grid of half elements, of which only those of the elements are kept."""

    def __init__(self, order, number):
        self.places = order[:number]
        self.index = {}
        self.points = []
        self.elements, self.layers = [], []
        for k in range(SHAPE[2]):
            for j in range(SHAPE[1]):
                for i in range(SHAPE[0]):
                    self.elements.append([self.node(2 * i + a, 2 * j + b, 2 * k + c) for a, b, c in self.places])
                    self.layers.append(k + 1)
        self.points, self.elements = np.array(self.points), np.array(self.elements)
        self.layers = np.array(self.layers)
        self.vp = 1000.0 * self.layers + 10.0 * self.points[self.elements[:, :8], 0].mean(axis=1)

    def node(self, i, j, k):
        if (i, j, k) not in self.index:
            self.index[i, j, k] = len(self.points)
            x, y = i / 2, j / 2
            interface = 1 + x * (3 - x) / 10 + y * (2 - y) / 20
            self.points.append((x, y, interface * k / 2 if k <= 2 else interface + (2 - interface) * (k - 2) / 2))
        return self.index[i, j, k]

    def quads(self, k, number):
        """Faces at grid level k, bottom or top of elements."""
        return np.array([
            [self.node(2 * i + a, 2 * j + b, k) for a, b in QUAD[:number]] for j in range(SHAPE[1]) for i in range(SHAPE[0])
        ])

    def side(self, name):
        """Elements, from 1, at a side."""
        axis = {"x": 0, "y": 1}.get(name[0], 2)
        grid = np.arange(1, 13).reshape(2, 2, 3)
        return np.take(grid, 0 if name.endswith("min") or name == "bottom" else -1, axis=2 - axis).ravel()


def text(variable, names):
    variable.set_auto_mask(False)
    for row, name in enumerate(names):
        for place, letter in enumerate(name):
            variable[row, place] = letter.encode()


def by_hand(name, kind, number, with_extras=False, steps=0, sides=SIDES):
    """The layout of Cubit: two blocks, side sets, and perhaps shells, an empty block and a time step."""
    box = Box(EXODUS, number)
    with netCDF4.Dataset(HERE / name, "w", format=kind) as file:
        file.setncatts({"api_version": np.float32(5.1), "version": np.float32(5.1)})
        # Files of size 1 have one variable per coordinate.
        file.setncatts({"floating_point_word_size": np.int32(8), "file_size": np.int32(with_extras)})
        file.title = "cubit(box.exo): 11/01/2024: 12:00:00"
        blocks = [("HEX%d" % number if number > 8 else "HEX8", box.elements[box.layers == k]) for k in (1, 2)]
        names, ids = ["rock", "sediment"], [10, 20]
        if with_extras:
            blocks = [blocks[0], ("SHELL4", box.quads(2, 4)), ("BAR2", box.elements[:1, :2]), blocks[1], None]
            names, ids = ["rock", "", "well", "sediment", "empty"], [10, 77, 30, 20, 40]
        for dimension, length in {
            "len_string": 33, "len_name": 33, "len_line": 81, "four": 4, "time_step": None, "num_dim": 3,
            "num_nodes": len(box.points), "num_elem": sum(len(b[1]) for b in blocks if b), "num_el_blk": len(blocks),
            "num_side_sets": len(sides) + with_extras, "num_node_sets": 1, "num_nod_ns1": 2,
        }.items():
            file.createDimension(dimension, length)
        file.createVariable("time_whole", "f8", ("time_step",))
        if with_extras:
            for axis in range(3):
                file.createVariable("coord" + "xyz"[axis], "f8", ("num_nodes",))[:] = box.points[:, axis]
        else:
            file.createVariable("coord", "f8", ("num_dim", "num_nodes"))[:] = box.points.T
        file.createVariable("eb_status", "i4", ("num_el_blk",))[:] = [int(b is not None) for b in blocks]
        file.createVariable("eb_prop1", "i4", ("num_el_blk",))[:] = ids
        text(file.createVariable("eb_names", "S1", ("num_el_blk", "len_name")), names)
        for n, block in enumerate(blocks, 1):
            if block:
                file.createDimension(f"num_el_in_blk{n}", len(block[1]))
                file.createDimension(f"num_nod_per_el{n}", block[1].shape[1])
                connect = file.createVariable(f"connect{n}", "i4", (f"num_el_in_blk{n}", f"num_nod_per_el{n}"))
                connect.elem_type = block[0]
                connect[:] = block[1] + 1
        file.createVariable("node_ns1", "i4", ("num_nod_ns1",))[:] = [1, 2]
        file.createVariable("ns_status", "i4", ("num_node_sets",))[:] = [1]
        file.createVariable("ns_prop1", "i4", ("num_node_sets",))[:] = [1]
        # The empty block and the shells, in the middle, shift the numbers of the upper layer.
        shift = 7 if with_extras else 0
        for n, (side, face) in enumerate(sides.items(), 1):
            elements = box.side(side)
            file.createDimension(f"num_side_ss{n}", len(elements))
            elem = file.createVariable(f"elem_ss{n}", "i4", (f"num_side_ss{n}",))
            elem[:] = np.where(elements > 6, elements + shift, elements)
            file.createVariable(f"side_ss{n}", "i4", (f"num_side_ss{n}",))[:] = face
        empty = ["none"] if with_extras else []
        file.createVariable("ss_status", "i4", ("num_side_sets",))[:] = [1] * len(sides) + [0] * len(empty)
        file.createVariable("ss_prop1", "i4", ("num_side_sets",))[:] = list(range(101, 101 + len(sides) + len(empty)))
        text(file.createVariable("ss_names", "S1", ("num_side_sets", "len_name")), [*sides, *empty])
        if steps:
            file.createDimension("num_elem_var", 2)
            text(file.createVariable("name_elem_var", "S1", ("num_elem_var", "len_name")), ["vp", "only_below"])
            for step in range(steps):
                file["time_whole"][step] = step
                for n, block in enumerate(blocks, 1):
                    if block and block[0].startswith("HEX"):
                        for v in (1, 2) if n == 1 else (1,):
                            variable = f"vals_elem_var{v}eb{n}"
                            if variable not in file.variables:
                                file.createVariable(variable, "f8", ("time_step", f"num_el_in_blk{n}"))
                            values = box.vp[box.layers == (1 if n == 1 else 2)]
                            file[variable][step] = values if step == steps - 1 else 0 * values
    check_exodus(HERE / name, number)


def check_exodus(path, number):
    """VTK's reader must find every node at its place: the order of this script is that of Exodus."""
    reader = vtk.vtkExodusIIReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    reader.Update()
    box = Box(VTK, number)
    found = 0
    blocks = reader.GetOutput().GetBlock(0)
    for n in range(blocks.GetNumberOfBlocks()):
        grid = blocks.GetBlock(n)
        for cell in (grid.GetCell(c) for c in range(grid.GetNumberOfCells() if grid else 0)):
            if cell.GetCellDimension() == 3:
                points = vtk_to_numpy(cell.GetPoints().GetData())
                assert any(np.allclose(points, box.points[element]) for element in box.elements), (path, n)
                found += 1
    assert found == 12, (path, found)


def grid_of(number, with_faces, kind=None, lagrange=False):
    """The box as a VTK grid with regions and wave speeds."""
    box = Box(VTK, number)
    grid = vtk.vtkUnstructuredGrid()
    quads = {8: (9, 4), 20: (23, 8), 27: (28, 9)}[number]
    cells = [(kind or {8: 12, 20: 25, 27: 29}[number], element) for element in box.elements]
    region, vp = list(box.layers), list(box.vp)
    if with_faces:
        # A point and a line among the cells, and the quadrilaterals at the bottom and the top.
        cells = [(1, [0]), *cells[:6], (3, [0, 1]), *cells[6:]]
        region, vp = [0, *region[:6], 0, *region[6:]], [-1, *vp[:6], -1, *vp[6:]]
        for k, side in ((0, 101), (4, 102)):
            cells += [(quads[0], quad) for quad in box.quads(k, quads[1])]
            region, vp = region + [side] * 6, vp + [-1] * 6
    points = vtk.vtkPoints()
    points.SetData(numpy_to_vtk(box.points, deep=True))
    grid.SetPoints(points)
    for cell, nodes in cells:
        grid.InsertNextCell(cell, len(nodes), [int(node) for node in nodes])
    for name, values in (("Region", np.array(region, "i4")), ("vp", np.array(vp, "f4"))):
        array = numpy_to_vtk(values, deep=True)
        array.SetName(name)
        grid.GetCellData().AddArray(array)
    return grid


def with_vtk(name, grid, mode, compressor=None, header=32, order="LittleEndian", pieces=1, is_base64=False):
    writer = vtk.vtkXMLUnstructuredGridWriter()
    writer.SetFileName(str(HERE / name))
    if pieces > 1:
        # Each piece has its own points, and a layer of copies of its neighbour's cells.
        source = vtk.vtkTrivialProducer()
        source.SetOutput(grid)
        piece = vtk.vtkExtractUnstructuredGridPiece()
        piece.SetInputConnection(source.GetOutputPort())
        writer.SetInputConnection(piece.GetOutputPort())
        writer.SetGhostLevel(1)
    else:
        writer.SetInputData(grid)
    {"ascii": writer.SetDataModeToAscii, "binary": writer.SetDataModeToBinary, "appended": writer.SetDataModeToAppended}[mode]()
    writer.SetEncodeAppendedData(is_base64)
    {"zlib": writer.SetCompressorTypeToZLib, "lz4": writer.SetCompressorTypeToLZ4, None: writer.SetCompressorTypeToNone}[compressor]()
    writer.SetHeaderTypeToUInt64() if header == 64 else writer.SetHeaderTypeToUInt32()
    writer.SetByteOrderToBigEndian() if order == "BigEndian" else writer.SetByteOrderToLittleEndian()
    writer.SetBlockSize(2048)
    writer.SetNumberOfPieces(pieces)
    assert writer.Write()


def exodus_with_ioss(name, number):
    """SEACAS, through its interface in VTK."""
    box = Box(VTK, number)
    grid = grid_of(number, False)
    parts = vtk.vtkPartitionedDataSetCollection()
    for k in (1, 2):
        layer = vtk.vtkThreshold()
        layer.SetInputData(grid)
        layer.SetInputArrayToProcess(0, 0, 0, vtk.vtkDataObject.FIELD_ASSOCIATION_CELLS, "Region")
        layer.SetLowerThreshold(k)
        layer.SetUpperThreshold(k)
        layer.Update()
        parts.SetPartition(k - 1, 0, layer.GetOutput())
        parts.GetMetaData(k - 1).Set(vtk.vtkCompositeDataSet.NAME(), "layer_%d" % k)
    writer = vtk.vtkIOSSWriter()
    writer.SetFileName(str(HERE / name))
    writer.SetInputDataObject(parts)
    writer.Write()
    # Closes the file.
    del writer


def with_meshio():
    box = Box(EXODUS, 8)
    cells = [("hexahedron", box.elements[box.layers == k]) for k in (1, 2)]
    meshio.write(HERE / "meshio_hex8.e", meshio.Mesh(box.points, cells))
    data = {"gmsh:physical": [np.full(6, 5), np.full(6, 6)], "vp": [box.vp[:6], box.vp[6:]]}
    meshio.write(HERE / "meshio_hex8_zlib.vtu", meshio.Mesh(box.points, cells, cell_data=data))


by_hand("cubit_hex8_cdf2.exo", "NETCDF3_64BIT_OFFSET", 8, with_extras=True, steps=2)
by_hand("cubit_hex8_nc4.exo", "NETCDF4", 8, sides={"bottom": 5, "top": 6})
by_hand("cubit_hex20_cdf2.exo", "NETCDF3_64BIT_OFFSET", 20, steps=1)
by_hand("cubit_hex27_cdf1.exo", "NETCDF3_CLASSIC", 27)
exodus_with_ioss("ioss_hex8.exo", 8)
exodus_with_ioss("ioss_hex20.exo", 20)
exodus_with_ioss("ioss_hex27.exo", 27)
with_meshio()
with_vtk("vtk_hex8_ascii.vtu", grid_of(8, True), "ascii")
with_vtk("vtk_hex27_raw_zlib.vtu", grid_of(27, True), "appended", "zlib")
with_vtk("vtk_hex20_base64.vtu", grid_of(20, True), "binary")
with_vtk("vtk_hex8_appended_u64_big.vtu", grid_of(8, True), "appended", header=64, order="BigEndian", is_base64=True)
with_vtk("vtk_hex8_raw_u64.vtu", grid_of(8, True), "appended", header=64)
with_vtk("vtk_hex27_base64_zlib_u64.vtu", grid_of(27, False), "binary", "zlib", header=64)
with_vtk("vtk_lagrange27_zlib.vtu", grid_of(27, False, 72), "appended", "zlib", is_base64=True)
with_vtk("vtk_hex8_pieces.vtu", grid_of(8, False), "binary", "zlib", pieces=2)
with_vtk("vtk_hex8_lz4.vtu", grid_of(8, False), "binary", "lz4")
