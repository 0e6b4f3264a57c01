"""Reads every VTU, VTI and PVD file below a directory with VTK, and the VTU files also with meshio.

    python check_vtk.py RESULTS_DIRECTORY

Both readers must find the same points, cells and fields, all finite except at hidden points. Hexahedra must be right-handed at each of their
nodes by VTK's own shape functions. The times of a series must increase and be stated in its files. A field `reference`, if
present, must be linear within every hexahedron.
"""

import xml.etree.ElementTree as ElementTree

import meshio
import numpy as np
import vtk
from common import expected, files, main, require, require_equal, require_nothing_is_lost
from vtk.util.numpy_support import vtk_to_numpy

HEXAHEDRA = {12: vtk.vtkHexahedron, 29: vtk.vtkTriQuadraticHexahedron}


def read_vtk(reader, path):
    """The data set of a file; fails if VTK reports an error or a warning."""
    complaints = []
    reader.AddObserver("ErrorEvent", lambda *_: complaints.append("error"))
    reader.AddObserver("WarningEvent", lambda *_: complaints.append("warning"))
    reader.SetFileName(str(path))
    reader.Update()
    require(not complaints and reader.GetErrorCode() == 0, path, "VTK cannot read it")
    return reader.GetOutput()


def fields(attributes):
    """The arrays at points or cells, by name."""
    arrays = (attributes.GetArray(index) for index in range(attributes.GetNumberOfArrays()))
    return {array.GetName(): vtk_to_numpy(array) for array in arrays}


def check_counts(directory, path, data):
    """Checks expected numbers of points and cells, expected fields, and that all values are finite except at hidden points and cells."""
    wanted = expected(directory, path)
    points, cells = fields(data.GetPointData()), fields(data.GetCellData())
    found = {
        "points": data.GetNumberOfPoints(),
        "cells": data.GetNumberOfCells(),
        "point_data": sorted(points),
        "cell_data": sorted(cells),
    }
    for key, value in wanted.items():
        require_equal(found[key], value, path, key)
    for attributes, count in ((points, data.GetNumberOfPoints()), (cells, data.GetNumberOfCells())):
        shown = attributes.get("vtkGhostType", np.zeros(count)) == 0
        for name, values in attributes.items():
            require(np.isfinite(values[shown]).all(), path, f"`{name}` is not finite everywhere")
            hidden = name == "vtkGhostType" or np.isnan(values[~shown]).all()
            require(hidden, path, f"`{name}` is not NaN where it is hidden")


def check_against_meshio(path, data):
    """Checks that meshio reads the same as VTK."""
    mesh = meshio.read(path)
    points = vtk_to_numpy(data.GetPoints().GetData())
    require(np.isfinite(points).all(), path, "a point is not finite")
    require(np.array_equal(mesh.points, points), path, "meshio reads other points than VTK")
    nodes = np.concatenate([block.data.ravel() for block in mesh.cells])
    connectivity = vtk_to_numpy(data.GetCells().GetConnectivityArray())
    require(np.array_equal(nodes, connectivity), path, "meshio reads other cells than VTK")
    cell_data = {name: np.concatenate(blocks) for name, blocks in mesh.cell_data.items()}
    for found, wanted in ((mesh.point_data, data.GetPointData()), (cell_data, data.GetCellData())):
        for name, values in fields(wanted).items():
            require(np.array_equal(found[name], values), path, f"meshio reads another `{name}` than VTK")


def cell_types(data):
    """VTK's type number of every cell."""
    return vtk_to_numpy(data.GetCellTypes())


def shape_functions(cell, places):
    """VTK's shape functions (places, nodes) and their derivatives (places, 3, nodes) at parametric places."""
    count = cell.GetNumberOfPoints()
    values, slopes = np.zeros((len(places), count)), np.zeros((len(places), 3 * count))
    for place, value, slope in zip(places, values, slopes):
        weights, derivatives = [0.0] * count, [0.0] * (3 * count)
        cell.InterpolateFunctions(place, weights)
        cell.InterpolateDerivs(place, derivatives)
        value[:], slope[:] = weights, derivatives
    return values, slopes.reshape(len(places), 3, count)


def check_hexahedra(path, data, kind):
    """Checks that hexahedra are right-handed at every node, and that a field `reference` is linear in the parametric coordinates."""
    types = cell_types(data)
    cell = HEXAHEDRA[kind]()
    offsets = vtk_to_numpy(data.GetCells().GetOffsetsArray())[:-1][types == kind]
    nodes = vtk_to_numpy(data.GetCells().GetConnectivityArray())[offsets[:, None] + np.arange(cell.GetNumberOfPoints())]
    points = vtk_to_numpy(data.GetPoints().GetData())[nodes]
    places = np.reshape(cell.GetParametricCoords(), (-1, 3))
    values, slopes = shape_functions(cell, np.vstack([places, [[0.3, 0.6, 0.2], [0.9, 0.1, 0.7]]]))
    jacobians = np.linalg.det(np.einsum("pan,enx->epax", slopes, points))
    worst = int(jacobians.min(axis=1).argmin())
    require(jacobians.min() > 0.0, path, f"hexahedron {worst} is inverted: Jacobian {jacobians[worst].min()}")
    reference = data.GetPointData().GetArray("reference")
    if reference:
        reference = vtk_to_numpy(reference)[nodes]
        low, high = reference.min(axis=1, keepdims=True), reference.max(axis=1, keepdims=True)
        linear = low + (high - low) * (values @ places)
        require(np.abs(values @ reference - linear).max() < 1e-12, path, "nodes are not in VTK's order")


def time_value(data):
    """The time a file states, or None."""
    array = data.GetFieldData().GetArray("TimeValue")
    return array.GetValue(0) if array else None


def check_vtu(directory, path):
    """Checks a mesh; returns its time."""
    data = read_vtk(vtk.vtkXMLUnstructuredGridReader(), path)
    check_counts(directory, path, data)
    check_against_meshio(path, data)
    for kind in HEXAHEDRA.keys() & set(cell_types(data)):
        check_hexahedra(path, data, kind)
    return time_value(data)


def check_vti(directory, path):
    """Checks an image; returns its time."""
    data = read_vtk(vtk.vtkXMLImageDataReader(), path)
    check_counts(directory, path, data)
    require(min(data.GetSpacing()) > 0.0, path, f"spacing = {data.GetSpacing()}")
    return time_value(data)


def check_pvd(directory, path, times):
    """Checks that times increase, and that every file exists and states the time of the list."""
    entries = ElementTree.parse(path).iter("DataSet")
    steps = [(float(entry.get("timestep")), path.parent / entry.get("file")) for entry in entries]
    require_equal(len(steps), expected(directory, path).get("files", len(steps)), path, "number of files")
    listed = [time for time, _ in steps]
    require(all(before < after for before, after in zip(listed, listed[1:])), path, "times do not increase")
    for time, file in steps:
        require(file in times, path, f"{file} does not exist")
        require_equal(times[file], time, file, "TimeValue")


def check(directory):
    """Checks every VTK file; returns their number."""
    require_nothing_is_lost(directory, {".vtu", ".vti", ".pvd"})
    times = {path: check_vtu(directory, path) for path in files(directory, "*.vtu")}
    times |= {path: check_vti(directory, path) for path in files(directory, "*.vti")}
    series = files(directory, "*.pvd")
    for path in series:
        check_pvd(directory, path, times)
    return len(times) + len(series)


if __name__ == "__main__":
    main(check, "vtk")
