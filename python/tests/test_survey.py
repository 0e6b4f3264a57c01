"""Surveys: gathers as arrays."""

import numpy as np
import pytest

import craton


def test_gathers_are_the_same_one_by_one_and_all_together(line):
    survey = craton.Survey(**line)
    gathers = survey.gathers()
    assert [gather.shot for gather in gathers] == [1, 2, 3]
    assert gathers[0].traces.shape == (2, 101) and gathers[0].traces.dtype == np.float32
    assert gathers[1].source == (400.0, 0.0, -20.0) or gathers[1].source[0] == 400.0
    assert np.array_equal(survey.gathers(range(1, 2))[0].traces, gathers[1].traces)
    first = next(iter(survey.iterate()))
    assert np.array_equal(first.traces, gathers[0].traces)
    assert np.abs(gathers[0].traces).max() > 0


def test_a_batch_has_the_gathers_of_each_model(line):
    survey = craton.Survey(**line)
    depth, x = np.arange(41) * 10.0, np.arange(81) * 10.0
    models = [{"volume": {"velocity": craton.Volume(np.full((41, 81), speed), ("depth", "x"), depth=depth, x=x)}} for speed in (1500.0, 1600.0)]
    batch = list(survey.batch(models, range(1)))
    expected = survey.changed(model=models[1]).gathers(range(1))[0].traces
    assert np.array_equal(batch[1][0].traces, expected) and not np.array_equal(batch[0][0].traces, expected)


def test_gathers_become_datasets(line):
    pytest.importorskip("xarray")
    line["receivers"] = {"quantities": ["pressure", "velocity_z"]}
    gather = craton.Survey(**line).gathers(range(1))[0]
    dataset = gather.to_xarray()
    assert set(dataset) == {"pressure", "velocity_z"} and dataset.sizes == {"channel": 2, "time": 101}


def test_a_results_folder_has_the_same_gathers(line, tmp_path):
    survey = craton.Survey(**line)
    text = survey.run(tmp_path / "r")
    assert "3" in text
    files = list((tmp_path / "r").glob("*.sgy")) + list((tmp_path / "r").glob("*.segy"))
    assert files
    traces = np.fromfile(files[0], dtype=np.uint8)
    own = np.concatenate([gather.traces.reshape(-1) for gather in survey.gathers()])
    samples = traces[3600:].reshape(6, -1)[:, 240:].reshape(-1).view(">f4").astype(np.float32)
    assert np.array_equal(samples, own)


def test_reports_progress_and_stops_by_an_exception(line):
    seen = []
    survey = craton.Survey(**line)
    survey.gathers(progress=lambda *report: seen.append(report))
    assert seen[-1][2] == 3

    def stop(*_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        survey.gathers(progress=stop)
    for gather in survey.iterate():
        break


def test_signatures_and_time_zero_at_the_peak(line):
    line["duration"] = 0.3
    plain = craton.Survey(**line).gathers()
    assert plain[0].start == 0.0 and plain[0].times[1] == plain[0].interval
    times = np.arange(0.0, 0.5, 0.002)
    source = line["source"]
    frequency = source.pop("time_function")["ricker"]["frequency"]
    phase = (np.pi * frequency * (times - 1.6 / frequency)) ** 2
    ricker = (1.0 - 2.0 * phase) * np.exp(-phase)
    line["source"] = {**source, "signatures": {"time": times, "shot_1": ricker, "shot_2": 2.0 * ricker, "shot_3": ricker}}
    gathers = craton.Survey(**line).gathers()
    for factor, gather, expected in zip((1.0, 2.0, 1.0), gathers, plain, strict=True):
        error = np.linalg.norm(gather.traces - factor * expected.traces) / np.linalg.norm(factor * expected.traces)
        assert error < 2e-3
    line["output"] = {**line.get("output", {}), "time_zero": "peak"}
    peak = craton.Survey(**line).gathers()[0]
    assert peak.start < 0.0 and np.abs(peak.times).min() < 1e-12
    assert peak.times[-1] == pytest.approx(0.3, abs=peak.interval)


def test_bad_surveys_are_refused(line):
    with pytest.raises(craton.ScenarioError, match="duratoin"):
        craton.Survey(**{**line, "duratoin": 1.0})
    line["acquisition"]["tables"]["shots"]["x"] = [200.0, 400.0]
    with pytest.raises(ValueError, match="different lengths"):
        craton.Survey(**line)


def test_the_gradient_of_a_survey_agrees_with_differences_of_its_misfit(line):
    depth, x = np.arange(41) * 10.0, np.arange(81) * 10.0
    start = np.full((41, 81), 1600.0) + depth[:, None]
    bump = np.exp(-((depth[:, None] - 200.0) ** 2 + (x - 400.0) ** 2) / 60.0**2)

    def model(velocity):
        return {"volume": {"velocity": craton.Volume(velocity, ("depth", "x"), depth=depth, x=x), "density": 2000.0}}

    line["method"] = {"fd": {"max_frequency": 20.0, "grid_spacing": 10.0, "time_step": 0.0015}}
    survey = craton.Survey(**line)
    observed = survey.changed(model=model(start + 50.0 * bump)).gathers()
    found = survey.misfit_and_gradient(model(start), observed, exact=True)
    assert found.velocity.shape == (41, 81) and found.density is None and set(found.misfits) == {1, 2, 3}
    assert found.misfit == pytest.approx(sum(found.misfits.values()))
    up, down = (survey.misfit_and_gradient(model(start + change * bump), observed).misfit for change in (4.0, -4.0))
    assert (found.velocity * bump).sum() == pytest.approx((up - down) / 8.0, rel=2e-3)
    arrays = [gather.traces for gather in observed]
    views = [np.repeat(traces.T, 2, axis=0)[::2].T.astype(np.float64) for traces in arrays]
    assert survey.misfit_and_gradient(model(start), views).misfit == survey.misfit_and_gradient(model(start), arrays).misfit
    assert survey.misfit_and_gradient(model(start), arrays, misfit="normalised").misfit > 0.0
    own = dict(zip((1, 2, 3), arrays, strict=True))

    def difference(gather):
        residual = gather.interval * (gather.traces.astype(np.float64) - own[gather.shot])
        return 0.5 * (residual**2).sum() / gather.interval, residual

    by_function = survey.misfit_and_gradient(model(start), None, misfit=difference, exact=True)
    assert by_function.misfit == pytest.approx(found.misfit, rel=1e-12)
    assert np.allclose(by_function.velocity, found.velocity, rtol=1e-9, atol=1e-12 * np.abs(found.velocity).max())
    for kind in ("envelope", "transport"):
        assert survey.misfit_and_gradient(model(start), arrays, misfit=kind).misfit > 0.0

    def broken(gather):
        raise KeyError("unknown")

    with pytest.raises(KeyError, match="unknown"):
        survey.misfit_and_gradient(model(start), None, misfit=broken)
    with pytest.raises(ValueError, match="the adjoint source of shot"):
        survey.misfit_and_gradient(model(start), None, misfit=lambda gather: (0.0, gather.traces[:1]))
    with pytest.raises(ValueError, match="observed is None"):
        survey.misfit_and_gradient(model(start), arrays, misfit=difference)
    with pytest.raises(ValueError, match="misfit is"):
        survey.misfit_and_gradient(model(start), arrays, misfit="phase")
    with pytest.raises(ValueError, match="shape"):
        survey.misfit_and_gradient(model(start), [traces[0] for traces in arrays])
    with pytest.raises(craton.CratonError, match="shot 3 is missing"):
        survey.misfit_and_gradient(model(start), arrays[:2])
    observed[1].interval *= 2.0
    with pytest.raises(craton.CratonError, match="shot 2: the sample interval is 0.00"):
        survey.misfit_and_gradient(model(start), observed)
