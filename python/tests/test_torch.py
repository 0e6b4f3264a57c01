"""Surveys as functions of PyTorch tensors."""

import numpy as np
import pytest

import craton

torch = pytest.importorskip("torch")
import craton.torch  # noqa: E402


@pytest.fixture
def lens(line):
    """A survey with a fixed grid, its volume, and wave speeds with a lens."""
    depth, x = np.arange(41) * 10.0, np.arange(81) * 10.0
    survey = craton.Survey(**line).changed("method.fd.grid_spacing=10.0", "method.fd.time_step=0.0015")
    volume = craton.Volume(np.zeros((81, 41)), ("x", "depth"), x=x, depth=depth)
    speeds = 1600.0 + 100.0 * np.exp(-((x[:, None] - 400.0) ** 2 + (depth - 200.0) ** 2) / 60.0**2)
    return survey, volume, torch.tensor(speeds, dtype=torch.float64, requires_grad=True)


def test_losses_of_traces_and_misfits_have_the_gradient_of_the_survey(lens):
    survey, volume, speeds = lens
    with torch.no_grad():
        observed = craton.torch.traces(survey, volume, torch.full_like(speeds, 1600.0), 2000.0)
    gathers = craton.torch.traces(survey, volume, speeds, 2000.0)
    assert [tuple(gather.shape) for gather in gathers] == [(2, 101)] * 3 and gathers[0].dtype == torch.float32
    interval = survey.prepare().sample_interval
    loss = 0.5 * interval * sum(((own - other).double() ** 2).sum() for own, other in zip(gathers, observed, strict=True))
    (of_traces,) = torch.autograd.grad(loss, speeds)

    def of_shot(own, gather):
        return 0.5 * interval * ((own - observed[gather.shot - 1].double()) ** 2).sum()

    value = craton.torch.misfit(survey, volume, speeds, 2000.0, loss=of_shot)
    (of_misfit,) = torch.autograd.grad(2.0 * value, speeds)
    model = craton.torch._Model(survey, volume, False, {}).table(speeds, 2000.0)
    expected = survey.misfit_and_gradient(model, [gather.numpy() for gather in observed])
    assert abs(value.item() / expected.misfit - 1.0) < 1e-5 and abs(loss.item() / expected.misfit - 1.0) < 1e-5
    size = np.abs(expected.velocity).max()
    assert np.abs(of_traces.numpy() - expected.velocity).max() < 1e-4 * size
    assert np.abs(0.5 * of_misfit.numpy() - expected.velocity).max() < 1e-4 * size


def test_a_gridded_density_has_a_derivative(lens):
    survey, volume, speeds = lens
    density = torch.full_like(speeds, 2000.0).requires_grad_()
    gathers = craton.torch.traces(survey, volume, speeds, density)
    sum((gather**2).sum() for gather in gathers).backward()
    assert speeds.grad.abs().max() > 0 and density.grad.abs().max() > 0


def test_other_shapes_are_refused(lens):
    survey, volume, speeds = lens
    with pytest.raises(ValueError, match="velocity has the shape"):
        craton.torch.traces(survey, volume, speeds[1:], 2000.0)
