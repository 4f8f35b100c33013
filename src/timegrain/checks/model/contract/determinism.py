"""The same again is the same, to the bit."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import torch
from torch import Tensor

from timegrain.checks.model.compare import same_bits
from timegrain.checks.model.row import CheckRow, failed, not_applicable, passed
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.state import tensors
from timegrain.checks.model.subject import Built, Subject

BATCH, TIME = 2, 100


@torch.no_grad()
def check_determinism(subject: Subject, settings: Settings) -> Iterator[CheckRow]:
    """Compare two passes, two models of one seed, arguments and answers later on, bit for bit.

    Nor may it matter what a model was given first: a mean kept from there is not in its weights.
    """
    time = subject.at_least(TIME)
    x, other = subject.draw(BATCH, time), subject.draw(BATCH, time, number=1)
    first = subject(x)
    subject(other)
    if same_bits(subject(x), first):
        yield passed(case="two passes", reason="same bits")
        if subject.untouched is not None:
            yield _first_input(subject, x, other)
    else:
        yield failed(
            "two passes over one input differ",
            case="two passes",
            cure="no randomness in eval mode, and no state kept from call to call",
        )
    lending = replace(subject, lends=True)
    yield _arguments(lending, other)
    yield _answers(lending, x, other)
    if subject.built is None:
        yield not_applicable("it came built, without a seed", case="one seed")
    elif _same_weights(subject.built):
        yield passed(case="one seed", reason="same bits")
    else:
        yield failed(
            "two layers of one seed differ",
            case="one seed",
            cure="drawing every weight from torch's global generator",
        )


def _first_input(subject: Subject, x: Tensor, other: Tensor) -> CheckRow:
    """Check that a model answers the same, whatever its very first input was."""
    case, found = "first input", []
    for before in ((), (other,)):
        here = subject.anew()
        torch.default_generator.manual_seed(0)  # what a first call draws is drawn alike
        for given in before:
            here(given)
        found.append(here(x))
    if same_bits(*found):
        return passed(case=case, reason="same bits")
    return failed(
        "the answer depends on the input that it was given first",
        case=case,
        cure="keeping no number of an input, such as its mean, from one call to the next",
    )


def _answers(subject: Subject, x: Tensor, other: Tensor) -> CheckRow:
    """Check that answers and states that were given stay what they were."""
    calls: dict[str, Callable[[Tensor], object]] = {"forward": subject}
    if not subject.unscanned:
        calls["scan"] = subject.scan
    if not subject.unstepped:
        calls["step"] = lambda values: subject.step(values[:, 0])
    wrong = []
    for name, call in calls.items():
        given = tensors(call(x))
        before = [t.clone() for t in given]
        call(other)
        if not all(same_bits(a, b) for a, b in zip(given, before, strict=True)):
            wrong.append(name)
    if not wrong:
        return passed(case="answers", reason="left as they were given")
    return failed(
        f"{' and '.join(wrong)} of another input writes over what was returned before",
        case="answers",
        cure="returning a new tensor, such as a clone() of a buffer that is used again",
    )


def _arguments(subject: Subject, x: Tensor) -> CheckRow:
    """Check that the tensors that are passed stay what they were."""
    lengths = torch.tensor([x.shape[1], x.shape[1] // 2], device=x.device)
    masked = None if subject.unmasked else lengths
    calls: dict[str, Callable[[], object]] = {"forward": lambda: subject(x, lengths=masked)}
    if not subject.unscanned:
        masked_scan = lengths if subject.masks_scan else None
        calls["scan"] = lambda: subject.scan(x, lengths=masked_scan)
    if not subject.unstepped:
        calls["step"] = lambda: subject.step(x[:, 0])
    wrong = []
    for name, call in calls.items():
        before = x.clone(), lengths.clone()
        call()
        kept = {"its input": same_bits(x, before[0]), "lengths": same_bits(lengths, before[1])}
        wrong += [f"{name} writes into {what}" for what, same in kept.items() if not same]
    if not wrong:
        return passed(case="arguments", reason="left as they were")
    return failed(
        "; ".join(wrong),
        case="arguments",
        cure="operations that are not in place: x = 2 * x instead of x.mul_(2)",
    )


def _same_weights(built: Built) -> bool:
    one, other = (built.make().state_dict() for _ in range(2))
    return one.keys() == other.keys() and all(same_bits(one[k], other[k]) for k in one)
