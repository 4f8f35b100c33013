"""A network comes back from a file as it was."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

import torch
from torch import nn

from timegrain.checks.model.compare import same_bits
from timegrain.checks.model.row import CheckRow, failed, not_applicable, noted, passed
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.subject import Built, Subject
from timegrain.checks.model.unstored import Unstored, unstored_tensors
from timegrain.core.errors import ModelError
from timegrain.core.users_code import users_code

if TYPE_CHECKING:
    from timegrain.models.backbone import Backbone

DT_TRAINED, UNIT = 0.004, "s"
BATCH, TIME = 2, 30
MOVED = 0.1
LISTED = 5


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
    yield from _beside(subject)
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


def _beside(subject: Subject) -> Iterator[CheckRow]:
    """Look for tensors that the output depends on and no file would hold.

    What learns there is lost. A constant may be right: whether the constructor makes it the same
    again, nobody can tell from here.
    """
    case = "not stored"
    used = list(_used(subject))
    learned = [one.name for one in used if one.learns]
    if learned:
        yield failed(
            f"no state_dict holds {_listed(learned)}, where gradients are collected",
            case=case,
            cure="registering it: nn.Parameter, nn.ParameterDict, nn.ModuleList in the place of "
            "plain attributes, dicts and lists",
        )
    elif used:
        yield noted(
            f"the output depends on {_listed([one.name for one in used])} as well, which no "
            "state_dict holds: right for constants that the constructor makes the same again, lost "
            "for what it draws",
            case=case,
        )


def _used(subject: Subject) -> Iterator[Unstored]:
    """Yield the tensors outside the state_dict whose numbers the output depends on."""
    here = subject.copy()
    found = unstored_tensors(here.model)
    if not found:
        return
    x = here.draw(BATCH, here.at_least(TIME))
    before = here(x)
    for one in found:
        kept = one.tensor.detach().clone()
        one.tensor.data = kept + MOVED
        try:
            used = not same_bits(here(x), before)
        except ModelError:  # what cannot do with other numbers depends on them
            used = True
        one.tensor.data = kept
        if used:
            yield one


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more


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
