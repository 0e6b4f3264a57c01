"""Gravity: prisms, layers, meshes, operators."""

import numpy as np
import pytest

import craton
from craton import gravity

RNG = np.random.default_rng(7)


def some_prisms(count=50):
    corners = RNG.uniform(-1000, 1000, (count, 3))
    corners[:, 2] = RNG.uniform(-1000, -200, count)
    sizes = RNG.uniform(20, 150, (count, 3))
    faces = np.empty((count, 6))
    faces[:, ::2], faces[:, 1::2] = corners, corners + sizes
    return faces, RNG.uniform(-500, 500, count)


POINTS = np.column_stack([RNG.uniform(-1200, 1200, (40, 2)), RNG.uniform(0, 100, 40)])


def test_prisms_agree_with_a_distant_point_mass():
    found = gravity.prisms([[0.0, 0.0, 1e5]], [[-5.0, 5.0, -5.0, 5.0, -5.0, 5.0]], 1000.0, "g_d", units="si")
    assert abs(found[0] / (6.6743e-11 * 1e6 / 1e10) - 1) < 1e-6


def test_shapes_types_and_units():
    faces, density = some_prisms()
    both = gravity.prisms(POINTS, faces, density, ["g_d", "g_dd"])
    assert set(both) == {"g_d", "g_dd"} and both["g_d"].shape == (40,)
    grid = tuple(values.reshape(8, 5) for values in POINTS.T)
    assert np.array_equal(gravity.prisms(grid, faces, density), both["g_d"].reshape(8, 5))
    si = gravity.prisms(POINTS, faces, density, "g_dd", units="si")
    assert np.allclose(1e9 * si, both["g_dd"], rtol=1e-12)
    for kind in (np.float32, np.int64):
        rounded = faces.astype(kind)
        assert np.array_equal(gravity.prisms(POINTS, rounded, density), gravity.prisms(POINTS, rounded.astype(float), density))
    assert np.array_equal(gravity.prisms(POINTS, np.asfortranarray(faces), density), both["g_d"])
    coarse = gravity.prisms(POINTS, faces, density, accuracy=1e-4)
    assert np.abs(coarse - both["g_d"]).max() < 1e-4 * np.abs(both["g_d"]).max()


def test_three_points_in_a_list_are_points():
    faces = [[-100.0, 100.0, -100.0, 100.0, -300.0, -100.0]]
    points = [[0.0, 0.0, 1.0], [500.0, 0.0, 1.0], [0.0, 500.0, 1.0]]
    expected = gravity.prisms(np.array(points), faces, 400.0)
    assert np.array_equal(gravity.prisms(points, faces, 400.0), expected)
    assert np.array_equal(gravity.prisms(tuple(map(tuple, points)), faces, 400.0), expected)


def test_layers_and_meshes_are_prisms():
    x, y = np.arange(5) * 100.0, np.arange(4) * 100.0
    top = RNG.uniform(-50, 50, (4, 5))
    one = gravity.layer(POINTS, x, y, top, -100.0, 300.0)
    faces = [[a - 50, a + 50, b - 50, b + 50, -100.0, top[j, i]] for j, b in enumerate(y) for i, a in enumerate(x)]
    assert np.allclose(one, gravity.prisms(POINTS, faces, 300.0), rtol=1e-13)
    planes = (np.array([0.0, 50, 120]), np.array([0.0, 80]), np.array([-300.0, -200, -150]))
    density = np.array([100.0, 0.0, -50.0, 20.0])
    kept = [[0, 50, 0, 80, -300, -200], [0, 50, 0, 80, -200, -150], [50, 120, 0, 80, -200, -150]]
    assert np.allclose(gravity.tensor_mesh(POINTS, planes, density), gravity.prisms(POINTS, kept, [100.0, -50.0, 20.0]))


def test_columns_of_an_uneven_grid_end_halfway_between_its_points():
    x, y = np.array([0.0, 40.0, 130.0]), np.array([60.0, 0.0, -10.0])
    east, north = np.array([-20.0, 20, 85, 175]), np.array([90.0, 30, -5, -15])
    top = RNG.uniform(-50, 50, (3, 3))
    cells = [(i, j) for j in range(3) for i in range(3)]
    faces = [[east[i], east[i + 1], north[j + 1], north[j], -100.0, top[j, i]] for i, j in cells]
    one = gravity.layer(POINTS, x, y, top, -100.0, 300.0)
    assert np.allclose(one, gravity.prisms(POINTS, faces, 300.0), rtol=1e-13)
    with pytest.raises(ValueError, match="neither ascends nor descends"):
        gravity.layer(POINTS, [0.0, 2.0, 1.0], y, top, -100.0, 300.0)


def test_an_operator_is_linear_and_its_transpose_exact():
    pytest.importorskip("scipy")
    faces, density = some_prisms()
    operator = gravity.operator(POINTS, faces, ["g_d", "g_en", "potential"])
    assert operator.shape == (120, 50)
    found = gravity.prisms(POINTS, faces, density, ["g_d", "g_en", "potential"])
    assert np.allclose(operator @ density, np.concatenate(list(found.values())), rtol=1e-10, atol=1e-12)
    weights = RNG.normal(size=120)
    one, other = (operator @ density) @ weights, density @ (operator.T @ weights)
    assert abs(one - other) < 1e-10 * abs(one)
    with pytest.raises(ValueError, match="linear"):
        gravity.operator(POINTS, faces, "g_length")


def assert_is_adjoint(operator, model):
    weights = RNG.normal(size=operator.shape[0])
    one, other = (operator @ model) @ weights, model @ (operator.T @ weights)
    assert abs(one - other) < 1e-10 * abs(one)


def test_operators_of_tesseroids_have_exact_transposes():
    pytest.importorskip("scipy")
    west, south = (values.reshape(-1) for values in np.meshgrid(np.arange(8.0, 13.0), np.arange(44.0, 48.0)))
    top = RNG.uniform(0.0, 3000.0, west.size)
    cells = np.stack([west, west + 1, south, south + 1, np.full(west.size, -1e4), top], axis=-1)
    density, points = RNG.uniform(-500, 500, west.size), [[10.3, 46.1, 4000.0], [8.0, 45.0, 3e4], [12.9, 44.1, 5000.0]]
    fields = ["g_d", "g_en", "potential"]
    for options in ({}, {"ellipsoid": "wgs84"}, {"radius": 6378137.0}):
        operator = gravity.tesseroid_operator(points, cells, fields, **options)
        assert operator.shape == (9, 20)
        found = gravity.tesseroids(points, cells, density, fields, **options)
        assert np.allclose(operator @ density, np.concatenate(list(found.values())), rtol=1e-10, atol=1e-12)
        assert_is_adjoint(operator, density)
    with pytest.raises(ValueError, match="no effect with ellipsoid"):
        gravity.tesseroid_operator(points, cells, radius=6.4e6, ellipsoid="grs80")
    with pytest.raises(ValueError, match="grs80 or wgs84"):
        gravity.tesseroid_operator(points, cells, ellipsoid="grs67")


def test_operators_of_smooth_layers_have_exact_transposes():
    pytest.importorskip("scipy")
    x, y = np.arange(0.0, 500.0, 20.0), np.arange(400.0, -1.0, -20.0)
    height = lambda x, y: 80.0 + 50.0 * np.sin(x / 90.0) * np.cos(y / 70.0)  # noqa: E731
    top = height(*np.meshgrid(x, y))
    # On the ground and above it.
    points = [[203.0, 188.0, height(203.0, 188.0)], [200.0, 200.0, height(200.0, 200.0)], [260.0, 130.0, 400.0]]
    fields = ["g_d", "g_en", "potential"]
    operator = gravity.layer_operator(points, x, y, top, 0.0, fields)
    assert operator.shape == (9, 25 * 21)
    density = RNG.uniform(2000.0, 3000.0, top.shape)
    assert_is_adjoint(operator, density.reshape(-1))
    # Far above the surface, flat columns have the same field.
    flat = gravity.layer_operator([points[2]], x, y, top, 0.0) @ density.reshape(-1)
    assert np.allclose(flat, gravity.layer([points[2]], x, y, top, 0.0, density), rtol=1e-3)
    # The order of the grid points does not matter, and neither do distant columns to four digits.
    turned = gravity.layer_operator(points, x, y[::-1], top[::-1], 0.0, fields)
    assert np.allclose(turned @ density[::-1].reshape(-1), operator @ density.reshape(-1), rtol=1e-12)
    assert np.allclose(turned.T @ np.ones(9), (operator.T @ np.ones(9)).reshape(top.shape)[::-1].reshape(-1), rtol=1e-9)
    near = gravity.layer_operator(points, x, y, top, 0.0, radius=8) @ density.reshape(-1)
    assert np.allclose(near, (operator @ density.reshape(-1))[:3], rtol=1e-4)
    # A constant density is that of a problem with smooth tops.
    xarray = pytest.importorskip("xarray")
    grid = xarray.DataArray(top[::-1], coords={"y": y[::-1], "x": x}, dims=("y", "x"))
    body = {"layer": {"top": grid, "bottom": 0.0, "tops": "smooth", "density": {"constant": 2500.0}}}
    result = gravity.Problem(fields=fields, body=[body], points={"list": {"rows": points}}).compute()
    expected = np.concatenate([result[name] for name in fields])
    assert np.allclose(operator @ np.full(25 * 21, 2500.0), expected, rtol=1e-9)
    with pytest.raises(ValueError, match="radius = -1"):
        gravity.layer_operator(points, x, y, top, 0.0, radius=-1)


def test_operators_of_magnetised_prisms_have_exact_transposes():
    pytest.importorskip("scipy")
    faces, _ = some_prisms(20)
    main, susceptibility = (48000.0, 62.5, -3.0), RNG.uniform(0.0, 0.1, 20)
    fields = ["tfa", "b_e", "b_d", "b_nu", "tfa_e", "tfa_u"]
    operator = gravity.magnetic_operator(POINTS, faces, fields, field=main)
    assert operator.shape == (240, 20)
    found = gravity.magnetics(POINTS, faces, susceptibility, fields, field=main)
    expected = np.concatenate([found[name] for name in fields])
    assert np.allclose(operator @ susceptibility, expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max())
    assert_is_adjoint(operator, susceptibility)
    vectors = gravity.magnetic_operator(POINTS, faces, ["b_n", "b_uu"], vectors=True)
    remanence = RNG.normal(size=(20, 3))
    found = gravity.magnetics(POINTS, faces, 0.0, ["b_n", "b_uu"], field=main, remanence=remanence)
    expected = np.concatenate([found["b_n"], found["b_uu"]])
    assert np.allclose(vectors @ remanence.T.reshape(-1), expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max())
    assert_is_adjoint(vectors, remanence.T.reshape(-1))
    for message, call in [
        ("field: is missing", lambda: gravity.magnetic_operator(POINTS, faces)),
        ("not a linear field", lambda: gravity.magnetic_operator(POINTS, faces, "b_length", field=main)),
        ("field: has 2 numbers .allowed: 3", lambda: gravity.magnetic_operator(POINTS, faces, field=main[:2])),
        ("intensity = 0 .allowed: above 0 nT, at most 1e6", lambda: gravity.magnetic_operator(POINTS, faces, field=(0.0, 60.0, 0.0))),
        ("intensity = nan", lambda: gravity.magnetic_operator(POINTS, faces, field=(np.nan, 60.0, 0.0))),
        ("intensity = inf", lambda: gravity.magnetic_operator(POINTS, faces, field=(np.inf, 60.0, 0.0))),
        ("inclination = 95 .allowed: -90 to 90", lambda: gravity.magnetic_operator(POINTS, faces, field=(48000.0, 95.0, 0.0))),
        ("declination = -361 .allowed: -360 to 360", lambda: gravity.magnetic_operator(POINTS, faces, field=(48000.0, 60.0, -361.0))),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(TypeError, match="field: give"):
        gravity.magnetic_operator(POINTS, faces, field={"date": "2025-06-30", "longitude": 19.94, "latitude": 50.06})


def test_bad_input_is_refused():
    faces, density = some_prisms()
    for message, call in [
        ("shape", lambda: gravity.prisms(POINTS[:, :2], faces, density)),
        ("shape", lambda: gravity.prisms(POINTS, faces[:, :5], density)),
        ("shape", lambda: gravity.prisms(POINTS, faces, density[:5])),
        ("did you mean", lambda: gravity.prisms(POINTS, faces, density, "gz")),
        ("not a number|finite|nan|NaN", lambda: gravity.prisms(POINTS, faces * np.nan, density)),
        ("units", lambda: gravity.prisms(POINTS, faces, density, units="gal")),
        ("not finite", lambda: gravity.layer(POINTS, [0.0, 1.0], [0.0, 1.0], [[0.0, np.nan]] * 2, -1.0, 1.0)),
        ("shape", lambda: gravity.tensor_mesh(POINTS, ([0.0, 1, 2], [0.0, 1], [0.0, 1]), np.ones((2, 1, 1)))),
        ("masked", lambda: gravity.prisms(POINTS, faces, np.ma.masked_less(density, 0.0))),
    ]:
        with pytest.raises((ValueError, craton.CratonError), match=message):
            call()


def test_magnetics_of_a_small_cube_are_those_of_a_dipole():
    cube, susceptibility, intensity = [[-5.0, 5.0, -5.0, 5.0, -5.0, 5.0]], 0.02, 50000.0
    found = gravity.magnetics([[0.0, 0.0, 400.0]], cube, susceptibility, ["tfa", "b_u"], field=(intensity, 90.0, 0.0))
    # A vertical dipole along the main field, which points down.
    moment = susceptibility * intensity * 1000.0 / (4e-7 * np.pi)
    assert abs(found["tfa"][0] / (1e-7 * 2.0 * moment / 400.0**3) - 1) < 1e-4
    assert np.allclose(found["b_u"], -found["tfa"])
    remanent = gravity.magnetics([[0.0, 0.0, 400.0]], cube, field=(intensity, 90.0, 0.0), remanence=[0.0, 0.0, -moment * 1e-9 / 1000.0])
    assert np.allclose(remanent, found["tfa"], rtol=1e-6)
    at = {"date": "2025-06-30", "longitude": 19.94, "latitude": 50.06}
    assert np.isfinite(gravity.magnetics(POINTS, *some_prisms(5), field=at)).all()
    with pytest.raises(ValueError, match="remanence of shape"):
        gravity.magnetics(POINTS, cube, field=(intensity, 90.0, 0.0), remanence=[1.0])


def test_tesseroids_of_a_shell_attract_as_a_point_mass():
    west, south = (values.reshape(-1) for values in np.meshgrid(np.arange(0.0, 360.0, 5.0), np.arange(-90.0, 90.0, 5.0)))
    cells = np.stack([west, west + 5, south, south + 5, np.full(west.size, -1e4), np.zeros(west.size)], axis=-1)
    points = ([10.0, -120.0], [45.0, -5.0], [3e5, 3e5])
    found = gravity.tesseroids(np.transpose(points), cells, 2670.0, ["g_d", "g_dd"], units="si", accuracy=1e-7)
    radius = 6.371e6
    mass = 4.0 / 3.0 * np.pi * 2670.0 * (radius**3 - (radius - 1e4) ** 3)
    assert np.allclose(found["g_d"], 6.6743e-11 * mass / (radius + 3e5) ** 2, rtol=1e-6)
    assert np.allclose(found["g_dd"], 2 * 6.6743e-11 * mass / (radius + 3e5) ** 3, rtol=1e-5)
    tilted = gravity.tesseroids(np.transpose(points), cells, 2670.0, gradient=0.01, units="si", accuracy=1e-7)
    assert not np.array_equal(tilted, found["g_d"]) and np.allclose(tilted, found["g_d"], rtol=1e-4)
    moved = gravity.tesseroids(np.transpose(points), cells, 2670.0, units="si", accuracy=1e-7, ellipsoid="wgs84")
    assert np.allclose(moved, found["g_d"], rtol=0.02) and not np.allclose(moved, found["g_d"], rtol=1e-4)
    raised = cells + [0, 0, 0, 0, radius, radius]
    alike = gravity.tesseroids(np.transpose([points[0], points[1], np.add(points[2], radius)]), raised, 2670.0, units="si", radius=0.0)
    assert np.allclose(alike, found["g_d"], rtol=1e-6)


def test_a_geographic_layer_is_made_of_tesseroids():
    longitude, latitude = np.arange(8.0, 13.0, 0.5), np.arange(47.0, 44.0, -0.5)
    top = 1000.0 * np.sin(longitude)[None, :] * np.cos(latitude)[:, None]
    points = [[10.1, 45.9, 5000.0], [9.0, 46.0, 9000.0]]
    found = gravity.geographic_layer(points, longitude, latitude, top, 0.0, 2670.0)
    west, south = (values.reshape(-1) for values in np.meshgrid(longitude - 0.25, latitude - 0.25))
    heights = top.reshape(-1)
    cells = np.stack([west, west + 0.5, south, south + 0.5, np.minimum(heights, 0), np.maximum(heights, 0)], axis=-1)
    assert np.allclose(found, gravity.tesseroids(points, cells, 2670.0 * np.sign(heights)), rtol=1e-12)


def test_harmonica_agrees():
    harmonica = pytest.importorskip("harmonica")
    x, y = np.arange(5) * 100.0, np.arange(4) * 100.0
    properties = {"density": RNG.uniform(100, 300, (4, 5))}
    terrain = harmonica.prism_layer((x, y), surface=RNG.uniform(-50, 50, (4, 5)), reference=-20.0, properties=properties)
    assert np.allclose(gravity.layer(POINTS, terrain), terrain.prism_layer.gravity(tuple(POINTS.T), field="g_z"), rtol=1e-8)
    faces, density = some_prisms()
    expected = harmonica.prism_gravity(tuple(POINTS.T), faces, density, field="g_z")
    assert np.allclose(gravity.prisms(POINTS, faces, density), expected, rtol=1e-8)


def test_simpeg_agrees_on_magnetic_fields():
    magnetics = pytest.importorskip("simpeg.potential_fields.magnetics")
    discretize, maps = pytest.importorskip("discretize"), pytest.importorskip("simpeg.maps")
    mesh = discretize.TensorMesh([[30.0, 50, 40], [60.0, 20], [25.0, 70]], origin=[-40.0, 10, -200])
    susceptibility, (x, y, z) = RNG.uniform(0.0, 0.1, mesh.n_cells), (mesh.nodes_x, mesh.nodes_y, mesh.nodes_z)
    points = np.column_stack([RNG.uniform(-200, 250, (12, 2)), RNG.uniform(5, 60, 12)])
    receivers = magnetics.receivers.Point(points, components=["tmi", "bx", "by", "bz"])
    source = magnetics.sources.UniformBackgroundField([receivers], amplitude=48000.0, inclination=62.5, declination=-3.0)
    simulation = magnetics.simulation.Simulation3DIntegral(
        mesh=mesh, survey=magnetics.survey.Survey(source), chiMap=maps.IdentityMap(nP=mesh.n_cells), store_sensitivities="forward_only"
    )
    expected = simulation.dpred(susceptibility).reshape(12, 4)
    cells = [(i, j, k) for k in range(2) for j in range(2) for i in range(3)]
    faces = [[x[i], x[i + 1], y[j], y[j + 1], z[k], z[k + 1]] for i, j, k in cells]
    found = gravity.magnetics(points, faces, susceptibility, ["tfa", "b_e", "b_n", "b_u"], field=(48000.0, 62.5, -3.0))
    # The magnetic constant of SimPEG is 4e-7 pi, that of CODATA 2018 differs by 5.5e-10.
    for values, other in zip(found.values(), expected.T):
        assert np.abs(values - other).max() < 2e-9 * np.abs(expected).max()


def test_a_geographic_layer_around_the_earth_counts_every_meridian_once():
    latitude = np.arange(-85.0, 90.0, 10.0)
    above_the_pole = (0.0, 90.0, 5e5)

    def attraction(longitude, **options):
        return gravity.geographic_layer(above_the_pole, longitude, latitude, 2000.0, 0.0, 2670.0, "g_d", **options)

    open_ended = attraction(np.arange(-180.0, 180.0, 15.0))
    closed = attraction(np.arange(-180.0, 181.0, 15.0))
    np.testing.assert_allclose(closed, open_ended, rtol=1e-5)
    with pytest.raises(ValueError, match="more than a turn"):
        attraction(np.arange(-180.0, 200.0, 15.0))
    with pytest.raises(TypeError, match="gradient"):
        attraction(np.arange(-180.0, 180.0, 15.0), gradient=1.0)
