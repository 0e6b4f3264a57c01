"""Scenarios: values, data, runs and results."""

import copy
import pickle
import threading

import numpy as np
import pytest

import craton
from conftest import ROOT


def samples(result: craton.Result) -> dict:
    return {(trace.station, trace.component): trace.samples for trace in result}


def same(one: craton.Result, other: craton.Result) -> bool:
    one, other = samples(one), samples(other)
    return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)


def test_keywords_text_and_dictionary_are_the_same_scenario(box, tmp_path):
    scenario = craton.Scenario(**box)
    text = scenario.to_toml(tmp_path / "it.toml")
    assert scenario == craton.Scenario.from_dict(scenario.to_dict()) == craton.Scenario.from_toml(text)
    assert craton.Scenario.from_toml(tmp_path / "it.toml").to_toml() == text
    assert scenario.changed(duration=0.5).to_dict()["duration"] == 0.5
    assert scenario.changed("source[0].position[2]=-200").to_dict()["source"][0]["position"][2] == -200
    assert scenario != scenario.changed(duration=0.5)


def test_a_text_with_names_of_data_needs_the_data(box):
    pulse = craton.Samples(np.sin(np.linspace(0, np.pi, 50)) ** 2, 0.004)
    box["source"][0]["time_function"] = pulse
    scenario = craton.Scenario(**box)
    with pytest.raises(ValueError, match="pass them as data="):
        craton.Scenario.from_toml(scenario.to_toml())
    assert craton.Scenario.from_toml(scenario.to_toml(), data={"source[0].time_function": pulse}) == scenario


def test_series_in_time_have_units(box):
    xarray = pytest.importorskip("xarray")
    time = np.arange(50) * 4.0
    values = np.sin(np.linspace(0, np.pi, 50)) ** 2
    box["source"][0]["time_function"] = xarray.DataArray(values, {"time": ("time", time, {"units": "ms"})}, ("time",))
    scenario = craton.Scenario(**box)
    box["source"][0]["time_function"] = craton.Samples(values, 0.004)
    assert scenario == craton.Scenario(**box)
    box["source"][0]["time_function"] = xarray.DataArray(values, {"time": time / 1000}, ("time",), attrs={"units": "banana"})
    with pytest.raises(ValueError, match="banana"):
        craton.Scenario(**box)


def test_warnings_are_issued(box):
    box["source"][0]["time_function"] = {"ricker": {"frequency": 30.0}}
    with pytest.warns(craton.CratonWarning, match="radiates"):
        assert craton.Scenario(**box).run().warnings


def test_every_example_scenario_is_read():
    from glob import glob

    found = 0
    for file in sorted(glob(str(ROOT / "validation/scenarios/*.toml"))):
        if "[acquisition" not in open(file).read():
            craton.Scenario.from_toml(file)
            found += 1
    assert found > 3


def test_runs_repeat_and_release_the_interpreter_lock(scenario):
    first = scenario.run(threads=1)
    assert len(first) == 6 and first.trace("XX.A", "Z").samples.shape == (31,)
    results = [None] * 3
    def work(number):
        results[number] = scenario.run(threads=1)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all(same(first, result) for result in results)
    assert first.record["steps"] > 30 and first.record["device"].startswith("CPU")


def test_errors_name_the_key_and_the_nearest_known_one(box):
    with pytest.raises(craton.ScenarioError, match="duratoin.*did you mean `duration`") as caught:
        craton.Scenario(**{**box, "duratoin": 3.0})
    assert {problem.path for problem in caught.value.problems} == {"duratoin"}
    wrong = copy.deepcopy(box)
    wrong["model"]["homogeneous"]["vs"] = -5.0
    with pytest.raises(ValueError, match="model.homogeneous.vs = -5"):
        craton.Scenario(**wrong)
    wrong = copy.deepcopy(box)
    wrong["source"][0]["position"] = [0.0, 0.0, float("nan")]
    with pytest.raises(craton.ScenarioError):
        craton.Scenario(**wrong).run()
    outside = copy.deepcopy(box)
    outside["receivers"]["stations"][0]["position"][0] = 1e4
    with pytest.raises(craton.ScenarioError) as caught:
        craton.Scenario(**outside).run()
    assert caught.value.path == "receivers.stations[0].position"


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.uint16])
@pytest.mark.parametrize("order", ["C", "F", "strided", "reversed"])
def test_arrays_of_every_type_and_order_are_the_same_model(box, dtype, order):
    x, y, depth = (np.linspace(-500, 500, 6), np.linspace(-500, 500, 5), np.linspace(0, 800, 9))
    speed = (2000 + 100 * np.arange(9) + np.arange(6)[:, None, None] + 0 * y[:, None]).astype(dtype)
    tables = {key: value for key, value in box.items() if key != "model"}
    def model(values, at=depth):
        ratio = lambda factor: (factor * values).astype(np.float64)
        parts = {"vp": values, "vs": ratio(0.5), "rho": ratio(1.0)}
        volumes = {name: craton.Volume(part, ("x", "y", "depth"), x=x, y=y, depth=at) for name, part in parts.items()}
        return craton.Scenario(model={"volume": volumes}, **tables)
    expected = model(np.ascontiguousarray(speed).astype(np.float64))
    if order == "F":
        speed = np.asfortranarray(speed)
    if order == "strided":
        wide = np.zeros((6, 5, 18), dtype)
        wide[..., ::2] = speed
        speed = wide[..., ::2]
    found = model(speed[..., ::-1], depth[::-1]) if order == "reversed" else model(speed)
    assert found == expected
    if dtype == np.float32 and order == "C":
        assert same(found.run(), expected.run())


def test_data_of_wrong_shape_unit_or_type_are_refused(box):
    del box["model"]
    x, z = np.linspace(-500, 500, 6), np.linspace(-800, 0, 9)
    def model(values, dims=("x", "z"), **places):
        places = {"x": x, "z": z, **places}
        return craton.Scenario(model={"volume": {"vp": craton.Volume(values, dims, **places)}}, **box)
    for message, values, more in [
        ("shape", np.ones(6), {}),
        ("coordinates for", np.ones((5, 9)), {}),
        ("not evenly spaced", np.ones((6, 9)), {"x": x**2}),
        ("not evenly spaced", np.ones((6, 9)), {"x": np.array([0, 1, 2, 3, 4, np.nan])}),
        ("not numbers", np.full((6, 9), "a"), {}),
    ]:
        with pytest.raises((ValueError, TypeError), match=message):
            model(values, **more)
    with pytest.raises(ValueError, match="dimension 'w'"):
        model(np.ones((6, 9)), dims=("w", "z"))
    with pytest.raises(TypeError, match="without coordinates"):
        craton.Scenario(model={"volume": {"vp": np.ones((6, 9))}}, **box)
    with pytest.raises(TypeError, match="model.homogeneous.vp"):
        craton.Scenario(model={"homogeneous": {"vp": 1 + 2j}}, **box)
    nan = np.full((6, 9), 2000.0)
    nan[2, 3] = np.nan
    with pytest.raises(craton.ScenarioError, match="model.volume"):
        volume = craton.Volume(nan, ("x", "z"), x=x, z=z)
        craton.Scenario(model={"volume": {"vp": volume, "vs": volume, "rho": volume}}, **box).check()


def test_xarray_gives_coordinates_names_and_units(box):
    xarray = pytest.importorskip("xarray")
    del box["model"]
    x, y, depth = np.linspace(-0.5, 0.5, 5), np.linspace(-500, 500, 5), np.linspace(0, 800, 5)
    coordinates = {"x": ("x", x, {"units": "km"}), "y": y, "depth": depth}
    speed = xarray.DataArray(np.full((5, 5, 5), 2.0), coordinates, ("y", "depth", "x"), attrs={"units": "km/s"})
    volumes = {"vp": speed, "vs": 0.55 * speed, "rho": speed}
    volumes["vs"].attrs["units"], volumes["rho"] = "km/s", speed.assign_attrs(units="g/cm3")
    fine = craton.Scenario(model={"volume": volumes}, **box)
    by_hand = craton.Scenario(model={"homogeneous": {"vp": 2000.0, "vs": 1100.0, "rho": 2000.0}}, **box)
    one, other = fine.run().trace("XX.A", "Z").samples, by_hand.run().trace("XX.A", "Z").samples
    assert np.abs(one - other).max() < 1e-3 * np.abs(other).max()
    with pytest.raises(ValueError, match="furlong"):
        craton.Scenario(model={"volume": {**volumes, "vp": speed.assign_attrs(units="furlong")}}, **box)


def test_tables_receivers_topography_and_samples_are_arrays(box):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"depth": [0.0, 400.0], "vp": [1500.0, 2500.0], "vs": [800.0, 1300.0], "rho": [2000.0, 2200.0]})
    box["model"] = {"depth_table": {"file": table}}
    time = np.arange(81) / 80
    box["source"][0]["time_function"] = craton.Samples((4 * time * (1 - time)) ** 3, 0.0025)
    box["receivers"] = {"stations_file": {"XX.A": (300.0, 0.0, 0.0), "XX.B": (0.0, 300.0, -50.0)}}
    scenario = craton.Scenario(**box)
    assert [trace.station for trace in scenario.run()][::3] == ["XX.A", "XX.B"]
    frame = pandas.DataFrame({"code": ["XX.A", "XX.B"], "x": [300.0, 0.0], "y": [0.0, 300.0], "z": [0.0, -50.0]})
    box["receivers"] = {"stations_file": frame}
    assert same(craton.Scenario(**box).run(), scenario.run())
    box["method"] = {"sem": {"max_frequency": 5.0}}
    places = np.linspace(-500, 500, 21)
    box["domain"]["topography"] = craton.Surface(20 * np.cos(places / 200)[:, None] + 0 * places, places, places)
    box["domain"]["z"] = [-800.0, 50.0]
    box["receivers"] = {"stations_file": {"XX.A": (300.0, 0.0, -50.0)}}
    assert len(craton.Scenario(**box).run()) == 3


def test_scenarios_with_data_can_be_pickled(line, scenario):
    assert pickle.loads(pickle.dumps(scenario)) == scenario
    survey = craton.Survey(**line)
    assert pickle.loads(pickle.dumps(survey)) == survey == copy.deepcopy(survey)


def _peak(scenario):
    return float(np.abs(scenario.run(threads=1).trace("XX.A", "Z").samples).max())


def test_multiprocessing_gives_the_same_values(scenario):
    import multiprocessing

    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(_peak, [scenario, scenario]) == [_peak(scenario)] * 2


def test_a_results_folder_has_the_values_of_the_memory(scenario, tmp_path):
    import json

    result = scenario.run(directory=tmp_path / "r")
    assert json.load(open(tmp_path / "r" / "run.json"))["status"] == "complete"
    assert same(result, scenario.run())
    with pytest.raises(craton.CratonError, match="overwrite|exists|contains"):
        scenario.run(directory=tmp_path / "r")
    assert same(result, scenario.run(directory=tmp_path / "r", overwrite=True))


def test_check_describes_a_run(scenario):
    report = scenario.check()
    assert report.steps > 30 and 0 < report.time_step < 0.01 and "time step" in str(report)


def test_a_simulation_advances_step_by_step_and_restores_its_state(scenario):
    simulation = craton.Simulation(scenario)
    assert (simulation.step, simulation.receivers) == (0, ["XX.A", "XX.B"])
    assert simulation.advance(20) == 20
    saved = simulation.checkpoint()
    fields = simulation.fields()
    assert saved.step == 20 and any(np.abs(values).max() > 0 for values in fields.values())
    seen = []
    result = simulation.run(on_step=lambda simulation: seen.append(simulation.step), every=25)
    assert seen[-1] == simulation.steps and same(result, scenario.run())
    again = craton.Simulation(scenario)
    again.restore(saved)
    assert again.step == 20 and same(again.run(), result)
    with pytest.raises(craton.CratonError, match="steps"):
        craton.Simulation(scenario).result()
    other = craton.Simulation(scenario.changed(duration=0.4))
    with pytest.raises(craton.CratonError, match="another simulation"):
        other.restore(saved)


def test_callbacks_see_progress_and_stop_by_exceptions(scenario):
    seen = []
    scenario.run(progress=lambda *report: seen.append(report))
    assert seen[0][0] == "step" and seen[0][1] == 0
    def stop(_):
        raise RuntimeError("enough")
    with pytest.raises(RuntimeError, match="enough"):
        craton.Simulation(scenario).run(on_step=stop)
    long = scenario.changed(duration=1000.0)
    def at_once(*_):
        raise RuntimeError("enough")
    with pytest.raises(RuntimeError, match="enough"):
        long.run(progress=at_once)


def test_snapshots_are_frames_and_datasets(box):
    xarray = pytest.importorskip("xarray")
    box["output"]["snapshots"] = {"surface": {"every": 0.1}, "slices": [{"y": 0.0, "every": 0.1}]}
    scenario = craton.Scenario(**box)
    result = scenario.run()
    assert {frame.series for frame in result.frames} == set(result.snapshots) and len(result.snapshots) == 2
    for dataset in result.snapshots.values():
        assert isinstance(dataset, xarray.Dataset) and dataset.sizes["time"] >= 3
    section = result.snapshots["slice_y_0"]["velocity"].isel(time=-1)
    frame = [frame for frame in result.frames if frame.series == "slice_y_0"][-1]
    assert section.dims == ("z", "x", "component")
    point = 3 + 7 * section.sizes["x"]
    assert np.array_equal(section.values[7, 3], frame.fields["velocity"][point])
    assert np.allclose([section["x"][3], section["z"][7]], frame.points[point, [0, 2]])
    last = result.snapshots["surface"]["velocity"]
    kept = result.frames[0].fields["velocity"].copy()
    last.isel(time=0).values[...] = 7.0
    last[0] = 5.0
    assert (last.values[0] == 5.0).all() and np.array_equal(result.frames[0].fields["velocity"], kept)
    picked = pickle.loads(pickle.dumps(result.snapshots["slice_y_0"]))["velocity"].isel(time=[0, -1], x=slice(None, None, -2), z=[1, 0])
    assert np.array_equal(picked.values, result.snapshots["slice_y_0"]["velocity"].values[[0, -1]][:, [1, 0]][:, :, ::-2])
    with pytest.raises(ValueError, match="on_step"):
        craton.Simulation(scenario).run(on_step=print)
    frames = []
    assert scenario.run(on_frame=frames.append).frames == [] and len(frames) == len(result.frames)


def test_results_become_obspy_and_xarray_objects(box, tmp_path):
    obspy = pytest.importorskip("obspy")
    pytest.importorskip("xarray")
    box["output"]["seismograms"] = ["miniseed"]
    scenario = craton.Scenario(**box)
    result = scenario.run(directory=tmp_path / "r")
    files = sorted((tmp_path / "r" / "seismograms").glob("*.mseed"))
    stream = obspy.Stream()
    for file in files:
        stream += obspy.read(str(file))
    own = {trace.id: trace for trace in result.stream}
    assert len(stream) == len(own) == 6
    for trace in stream:
        assert np.array_equal(trace.data, own[trace.id].data)
        assert abs(trace.stats.starttime - own[trace.id].stats.starttime) < 1e-6
        assert abs(trace.stats.delta - own[trace.id].stats.delta) < 1e-12
    dataset = result.traces
    found = dataset["displacement" if "displacement" in dataset else list(dataset)[0]]
    assert np.array_equal(found.sel(station="XX.A", component="Z").values, result.trace("XX.A", "Z").samples)
    assert found.attrs["units"] == result.all[0].unit
    axes = pytest.importorskip("matplotlib") and result.plot()
    assert axes.get_xlabel() == "time [s]"


def test_events_and_inventories_of_obspy_are_sources_and_receivers(box, tmp_path):
    obspy = pytest.importorskip("obspy")
    from obspy.core import event as events
    from obspy.core import inventory as stations

    tensor = events.Tensor(m_rr=1e15, m_tt=1e15, m_pp=1e15, m_rt=0.0, m_rp=0.0, m_tp=0.0)
    time = obspy.UTCDateTime(2020, 1, 2, 3, 4, 5)
    origin = events.Origin(time=time, longitude=10.0, latitude=45.0, depth=300.0)
    mechanism = events.FocalMechanism(moment_tensor=events.MomentTensor(tensor=tensor, derived_origin_id=origin.resource_id))
    event = events.Event(origins=[origin], focal_mechanisms=[mechanism])
    station = stations.Station("A", 45.002, 10.001, 0.0, creation_date=time)
    inventory = stations.Inventory([stations.Network("XX", [station])])
    box["domain"] = {"x": [-500.0, 500.0], "y": [-500.0, 500.0], "z": [-800.0, 0.0],
                     "projection": {"utm": {"zone": 32, "origin": {"longitude": 10.0, "latitude": 45.0}}}}
    box["receivers"], box["source"] = inventory, event
    one = craton.Scenario(**box).run()
    box["source"] = obspy.Catalog([event])
    other = craton.Scenario(**box).run()
    assert len(one) == 3 and same(one, other)
    assert abs(one.stream[0].stats.starttime - time) < 10.0
    assert one.all[0].latitude == pytest.approx(45.002, abs=1e-6)
    with pytest.raises(TypeError, match="Stream"):
        craton.Scenario(**{**box, "source": obspy.Stream()})


def test_an_interrupt_stops_a_run(tmp_path):
    import signal
    import subprocess
    import sys
    import time

    # A process that a shell has started in the background ignores interrupts.
    code = f"""
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import craton
print("ready", flush=True)
try:
    craton.Scenario.from_toml({str(ROOT / "validation/scenarios/loh1.toml")!r}).run(progress=lambda *_: print("step", flush=True))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    while process.stdout.readline().strip() != "step":
        pass
    time.sleep(0.3)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    rest = process.stdout.read()
    assert "interrupted" in rest and process.wait() == 0 and time.monotonic() - begun < 5


def test_a_simulation_continues_after_an_exception(scenario):
    simulation = craton.Simulation(scenario)

    def stop(*_):
        raise KeyError("enough")

    with pytest.raises(KeyError):
        simulation.run(progress=stop)
    while simulation.step < simulation.steps:
        before = simulation.step
        assert simulation.advance(50) > before
    assert same(simulation.result(), scenario.run())


def test_volumes_are_read_in_place_when_a_computation_is_set_up(box):
    x, z = np.linspace(-500, 500, 6), np.linspace(-800, 0, 9)
    for dtype in (np.float32, np.float64):
        speed = np.full((6, 9), 2000.0, dtype)
        volume = lambda values: craton.Volume(values, ("x", "z"), x=x, z=z)
        box["model"] = {"volume": {"vp": volume(speed), "vs": volume(speed / 2), "rho": volume(speed)}}
        scenario = craton.Scenario(**box)
        before = scenario.run()
        pickled = pickle.loads(pickle.dumps(scenario))
        speed[:] = 3000.0
        after = scenario.changed(duration=box["duration"]).run()
        assert not same(after, before)
        assert same(pickled.run(), before) and pickled != scenario
        speed[:] = 2000.0
        assert same(scenario.run(), before) and pickled == scenario


def test_large_volumes_are_read_in_several_parts(box):
    x, y, z = np.linspace(-500, 500, 161), np.linspace(-500, 500, 101), np.linspace(-800, 0, 81)
    speed = (2000 - 0.2 * z + 0.1 * x[:, None, None] + 0.05 * y[:, None]).astype(np.float32)
    places = {"x": x, "y": y, "z": z}
    def model(values, dims):
        parts = {"vp": values, "vs": values / np.float32(2), "rho": 0 * values + np.float32(2000)}
        return {"volume": {name: craton.Volume(part, dims, **places) for name, part in parts.items()}}
    box["model"] = model(speed, ("x", "y", "z"))
    scenario = craton.Scenario(**box)
    other = scenario.changed(model=model(np.ascontiguousarray(speed.transpose(2, 0, 1)), ("z", "x", "y")))
    assert speed.size > 2**20 and same(scenario.run(), other.run())


def test_a_volume_that_cannot_be_read_is_an_error(box):
    x, z = np.linspace(-500, 500, 6), np.linspace(-800, 0, 9)
    values = np.full((6, 9), 2000.0, np.float32)
    volume = craton.Volume(values, ("x", "z"), x=x, z=z)
    box["model"] = {"volume": {"vp": volume, "vs": volume, "rho": volume}}
    scenario = craton.Scenario(**box)
    values.resize((6, 8), refcheck=False)
    with pytest.raises(craton.ScenarioError, match="48 values instead of 54"):
        scenario.run()


def test_tables_surfaces_and_samples_are_read_in_place(box):
    rows = np.array([[0.0, 1500.0, 800.0, 2000.0], [400.0, 2500.0, 1300.0, 2200.0]])
    places = np.linspace(-500, 500, 21, dtype=np.float32)
    heights = np.asfortranarray(20 * np.cos(places / 200)[:, None] + 0 * places)
    samples = np.sin(np.linspace(0, np.pi, 50)) ** 2
    box["model"] = {"depth_table": {"file": dict(zip(("depth", "vp", "vs", "rho"), rows.T))}}
    box["source"][0]["time_function"] = craton.Samples(samples, 0.004)
    box["domain"].update(topography=craton.Surface(heights, places, places), z=[-800.0, 50.0])
    box["receivers"] = {"stations_file": {"XX.A": (300.0, 0.0, -50.0)}}
    box["method"] = {"sem": {"max_frequency": 5.0}}
    scenario = craton.Scenario(**box)
    before = scenario.run()
    pickled = pickle.loads(pickle.dumps(scenario))
    for array, factor in ((rows[:, 3], 1.5), (heights, -1.0), (samples, 2.0)):
        kept = array.copy()
        array *= factor
        assert not same(scenario.run(), before) and pickled != scenario and same(pickled.run(), before)
        array[:] = kept
        assert same(scenario.run(), before) and pickled == scenario


def test_a_table_whose_length_changes_is_an_error(box):
    depth = np.array([0.0, 400.0])
    box["model"] = {"depth_table": {"file": {"depth": depth, "vp": [1500.0] * 2, "vs": [800.0] * 2, "rho": [2000.0] * 2}}}
    scenario = craton.Scenario(**box)
    depth.resize(1, refcheck=False)
    with pytest.raises(craton.ScenarioError, match="1 values instead of 2"):
        scenario.run()


def test_relative_files_and_data_survive_a_change_of_folder(box, tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    time = np.arange(50) * 0.004
    np.savetxt(tmp_path / "sub" / "pulse.txt", np.column_stack([time, np.sin(np.linspace(0, np.pi, 50)) ** 2]))
    box["source"][0]["time_function"] = {"file": "pulse.txt"}
    craton.Scenario(**box, folder=tmp_path / "sub").to_toml(tmp_path / "sub" / "it.toml")
    monkeypatch.chdir(tmp_path)
    scenario = craton.Scenario.from_toml("sub/it.toml")
    monkeypatch.chdir("/")
    assert len(scenario.run()) == 6
    box["receivers"] = {"stations_file": "stations.csv"}
    stations = {"XX.A": (300.0, 0.0, 0.0)}
    text = craton.Scenario(**box, folder=tmp_path / "sub").to_toml()
    assert len(craton.Scenario.from_toml(text, data={"stations.csv": stations}, folder=tmp_path / "sub").run()) == 3
    with pytest.raises(ValueError, match="no key"):
        craton.Scenario.from_toml(text, data={"other": stations})


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("devices = 0", lambda scenario: scenario.run(devices=0)),
        ("threads = -1", lambda scenario: scenario.run(threads=-1)),
        ("threads = 1000000", lambda scenario: scenario.run(threads=1000000)),
        ("every = 0", lambda scenario: craton.Simulation(scenario).run(on_step=print, every=0)),
        ("duration = None", lambda scenario: scenario.changed(duration=None)),
        ("not a device|is not", lambda scenario: scenario.run(device="gpu")),
    ],
)
def test_bad_options_are_refused(scenario, message, call):
    with pytest.raises((ValueError, TypeError, craton.CratonError), match=message):
        call(scenario)


def test_a_forked_process_is_refused(scenario):
    import os

    scenario.run()
    child = os.fork()
    if child == 0:
        try:
            scenario.run()
        except RuntimeError as error:
            os._exit(0 if "spawn" in str(error) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert scenario.changed(output={"sample_interval": 0.02}).to_dict()["output"]["directory"] == "results"


def test_masked_values_and_units_of_another_quantity_are_refused(box):
    xarray = pytest.importorskip("xarray")
    del box["model"]
    x, z = np.linspace(-500, 500, 6), np.linspace(-800, 0, 9)
    masked = np.ma.masked_greater(np.full((6, 9), 2000.0), 1000.0)
    with pytest.raises(ValueError, match="54 masked values"):
        craton.Scenario(model={"volume": {"vp": craton.Volume(masked, ("x", "z"), x=x, z=z)}}, **box)
    density = xarray.DataArray(np.full((6, 9), 2.0), {"x": x, "z": z}, ("x", "z"), attrs={"units": "g/cm3"})
    with pytest.raises(ValueError, match="g/cm3"):
        craton.Scenario(model={"volume": {"vp": density}}, **box)
    place = np.array([0.0, 0.0, -300.0])
    tables = {**box, "model": {"homogeneous": {"vp": np.array(2000.0), "vs": np.float32(1100.0), "rho": 2000}}}
    tables["source"][0]["position"] = place
    assert craton.Scenario(**tables).to_dict()["source"][0]["position"] == place.tolist()
