"""A network comes back from a file as it was."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

import torch
from torch import nn

from timegrain.checks.model.row import CheckRow, failed, not_applicable, passed
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.subject import Built, Subject
from timegrain.core.errors import ModelError
from timegrain.core.users_code import users_code

if TYPE_CHECKING:
    from timegrain.models.backbone import Backbone

DT_TRAINED, UNIT = 0.004, "s"
BATCH, TIME = 2, 30
MOVED = 0.1


@torch.no_grad()
def check_file(subject: Subject, settings: Settings) -> Iterator[CheckRow]:
    """Write weights as safetensors, read them into a twin, and compare outputs bit for bit.

    A registered layer is checked in the network around it, whose checkpoint also holds its config
    and the step it was trained at; so is a network that says how it was built.
    """
    if subject.module is None:
        yield not_applicable("a function has no weights to store")
        return
    yield _weights(subject)
    network = _network(subject)
    if network is None:
        yield not_applicable("it does not say how to build it again", case="config")
    else:
        yield _checkpoint(network, subject)


def _weights(subject: Subject) -> CheckRow:
    from safetensors.torch import load, save

    stored, twin = subject.copy(), subject.copy()
    _move(stored.model, MOVED)
    state = {k: v.detach().contiguous().clone() for k, v in stored.model.state_dict().items()}
    if not state:
        return not_applicable("it has no weights", case="weights")
    with users_code(subject.name, ModelError, doing="cannot be stored"):
        twin.model.load_state_dict(load(save(state)))
    x = subject.draw(BATCH, subject.at_least(TIME))
    if torch.equal(stored(x), twin(x)):
        return passed(case="weights", reason=f"{len(state)} tensors, same bits")
    return failed(
        "the output from stored weights differs",
        case="weights",
        cure="registering every tensor as a parameter or a buffer",
    )


def _network(subject: Subject) -> nn.Module | None:
    """Return a network of the layer that was built here, or the module if it has a config."""
    if isinstance(subject.built, Built):
        from timegrain.models.build import build_model

        built = subject.built
        return build_model(
            built.layer, d_input=2, d_output=3, d_model=built.d_model, n_layers=2, seed=built.seed,
            **{k: v for k, v in built.options.items() if k != "skip"},
        )  # fmt: skip
    config = getattr(subject.model, "config", None)
    known = isinstance(config, dict) and "name" in config
    return subject.to(torch.float32).module if known else None


def _checkpoint(network: nn.Module, subject: Subject) -> CheckRow:
    from timegrain.training import load_checkpoint, save_checkpoint

    _move(network, MOVED)
    network.eval()
    with tempfile.TemporaryDirectory() as folder:
        path = save_checkpoint(
            Path(folder) / "network",
            cast("Backbone", network),
            dt_trained=DT_TRAINED,
            unit=UNIT,
            kind="tokens" if subject.inputs.tokens else "real",
        )
        back = load_checkpoint(path)
    x = subject.to(torch.float32).draw(BATCH, subject.at_least(TIME))
    x = x if subject.built is None else x[..., :2]
    same = {
        "the output": torch.equal(network(x, 2.0), back.model(x, 2.0)),
        "the config": network.config == back.model.config,
        "dt_trained": (back.dt_trained, back.unit) == (DT_TRAINED, UNIT),
    }
    wrong = [what for what, right in same.items() if not right]
    if not wrong:
        return passed(case="config", reason="a checkpoint gives back weights, config, dt_trained")
    return failed(
        f"a checkpoint changes {', '.join(wrong)}",
        case="config",
        cure="keeping every option in the config, as plain JSON values",
    )


def _move(module: nn.Module, amount: float) -> None:
    """Move weights away from what a new module has, so that a twin built anew differs."""
    for parameter in module.parameters():
        parameter.add_(amount)
