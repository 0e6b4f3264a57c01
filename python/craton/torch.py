"""Surveys as differentiable functions of PyTorch tensors; requires PyTorch.

>>> import craton.torch
>>> gathers = craton.torch.traces(survey, volume, velocity)     # one tensor per shot
>>> loss = sum(((own - other) ** 2).sum() for own, other in zip(gathers, observed))
>>> loss.backward()                                             # velocity.grad

`misfit` computes the value and the gradient of a loss together, which saves a forward computation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ._inputs import Volume
from ._survey import Gather, MisfitAndGradient, Survey

try:
    import torch
    from torch.autograd.function import once_differentiable
except ImportError as error:
    raise ImportError("craton.torch requires PyTorch: pip install torch") from error

__all__ = ["misfit", "traces"]

Loss = Callable[["torch.Tensor", Gather], "torch.Tensor"]
"""A function from the traces of a shot, shape ``(channels, samples)``, and their gather to a scalar."""


def traces(
    survey: Survey,
    volume: Volume,
    velocity: torch.Tensor,
    density: torch.Tensor | float | None = None,
    *,
    exact: bool = False,
    device: str | None = None,
    threads: int | None = None,
) -> list[torch.Tensor]:
    """Computes the traces of all shots, as tensors with a derivative with respect to the model.

    The derivative is that of the survey's adjoint computation: a call of ``backward`` takes as long as two and a half to four
    forward computations. Second derivatives are not available. Give ``method.fd.grid_spacing`` and ``method.fd.time_step``: otherwise they follow
    from the model, but the derivative treats them as constant.

    Args:
        survey: a survey that records one quantity.
        volume: the dimensions and coordinates of the model; its values are not used.
        velocity: wave speeds [m/s] in the shape of the volume.
        density: densities [kg/m3] in the same shape, or a constant; by default they follow from the wave speeds.
        exact: whether the derivative uses the forward fields of all steps, see `Survey.misfit_and_gradient`.
        device: device of Craton: ``"cpu"``, ``"cuda"``, ``"cuda:1"`` and so on; by default that of the survey. Tensors may be on any device.
        threads: number of threads.

    Returns:
        For each shot, in survey order, a float32 tensor of shape ``(channels, samples)`` on the device of ``velocity``.
    """
    model = _Model(survey, volume, exact, {"device": device, "threads": threads})
    return list(_Traces.apply(velocity, density, model))


def misfit(
    survey: Survey,
    volume: Volume,
    velocity: torch.Tensor,
    density: torch.Tensor | float | None = None,
    *,
    loss: Loss,
    exact: bool = False,
    device: str | None = None,
    threads: int | None = None,
) -> torch.Tensor:
    """Computes the sum of a loss over the shots, with its derivative with respect to the model.

    Value and derivative are computed together, shot by shot; ``backward`` only scales the derivative.

    Args:
        survey, volume, velocity, density, exact, device, threads: as for `traces`.
        loss: the loss of a shot, from its traces (a float64 tensor on the CPU) and its `Gather`. Craton calls it on its own threads, one call
            at a time and in any order of the shots.

    Returns:
        A float64 scalar on the device of ``velocity``.
    """
    model = _Model(survey, volume, exact, {"device": device, "threads": threads})
    parameters = [values for values in (velocity, density) if isinstance(values, torch.Tensor)]
    if torch.is_grad_enabled() and any(values.requires_grad for values in parameters):
        total: torch.Tensor = _Misfit.apply(velocity, density, model, loss)
        return total
    losses = [float(loss(_double(gather), gather)) for gather in model.gathers(velocity, density)]
    return torch.tensor(sum(losses), dtype=torch.float64, device=velocity.device)


@dataclass
class _Model:
    """A survey as a function of its model."""

    survey: Survey
    volume: Volume
    exact: bool
    options: dict[str, Any]
    shape: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.shape = tuple(np.shape(self.volume.values))

    def table(self, velocity: torch.Tensor, density: torch.Tensor | float | None) -> dict[str, Any]:
        """The key ``model`` of the survey."""
        properties: dict[str, Any] = {"velocity": self._volume(velocity, "velocity")}
        if isinstance(density, torch.Tensor):
            properties["density"] = self._volume(density, "density")
        elif density is not None:
            properties["density"] = float(density)
        return {"volume": properties}

    def gathers(self, velocity: torch.Tensor, density: torch.Tensor | float | None) -> list[Gather]:
        return self.survey.changed(model=self.table(velocity, density)).gathers(**self.options)  # type: ignore[no-any-return]

    def gradient(self, velocity: torch.Tensor, density: torch.Tensor | float | None, observed: Any, misfit: Any) -> MisfitAndGradient:
        with_density = isinstance(density, torch.Tensor) and density.requires_grad
        table = self.table(velocity, density)
        return self.survey.misfit_and_gradient(table, observed, misfit=misfit, density=with_density, exact=self.exact, **self.options)

    def _volume(self, values: torch.Tensor, name: str) -> Volume:
        if tuple(values.shape) != self.shape:
            raise ValueError(f"{name} has the shape {tuple(values.shape)}, and the volume {self.shape}")
        return replace(self.volume, values=values.detach().cpu().numpy())


class _Traces(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, velocity: torch.Tensor, density: torch.Tensor | float | None, model: _Model) -> tuple[torch.Tensor, ...]:
        _keep(ctx, velocity, density)
        ctx.model = model
        gathers = model.gathers(velocity, density)
        return tuple(torch.from_numpy(gather.traces).to(velocity.device) for gather in gathers)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, *adjoint: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        velocity, density = _kept(ctx)
        observed = [of_shot.detach().cpu().numpy() for of_shot in adjoint]
        found = ctx.model.gradient(velocity, density, observed, "adjoint_source")
        return (*_derivatives(velocity, density, found), None)


class _Misfit(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(
        ctx: Any, velocity: torch.Tensor, density: torch.Tensor | float | None, model: _Model, loss: Loss
    ) -> torch.Tensor:
        def of_gather(gather: Gather) -> tuple[float, np.ndarray]:
            with torch.enable_grad():
                own = _double(gather).requires_grad_()
                value = loss(own, gather)
                (adjoint,) = torch.autograd.grad(value, own)
            return value.item(), adjoint.numpy()

        found = model.gradient(velocity, density, None, of_gather)
        ctx.derivatives = _derivatives(velocity, density, found)
        return torch.tensor(found.misfit, dtype=torch.float64, device=velocity.device)

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, factor: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        of_velocity, of_density = ctx.derivatives
        scaled = [None if own is None else factor.to(own.dtype) * own for own in (of_velocity, of_density)]
        return (*scaled, None, None)


def _double(gather: Gather) -> torch.Tensor:
    """The traces of a gather in double precision."""
    return torch.from_numpy(gather.traces.astype(np.float64))


def _keep(ctx: Any, velocity: torch.Tensor, density: torch.Tensor | float | None) -> None:
    is_tensor = isinstance(density, torch.Tensor)
    ctx.save_for_backward(velocity, *([density] if is_tensor else []))
    ctx.density = None if is_tensor else density


def _kept(ctx: Any) -> tuple[torch.Tensor, torch.Tensor | float | None]:
    velocity, *density = ctx.saved_tensors
    return velocity, density[0] if density else ctx.density


def _derivatives(
    velocity: torch.Tensor, density: torch.Tensor | float | None, found: MisfitAndGradient
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Derivatives with the types and devices of the model."""
    of_velocity = torch.from_numpy(found.velocity).to(velocity)
    if found.density is None or not isinstance(density, torch.Tensor):
        return of_velocity, None
    return of_velocity, torch.from_numpy(found.density).to(density)
