"""`check_model`: does a model keep the contract of a layer in time?"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from timegrain.checks.model.adapt import adapt
from timegrain.checks.model.arguments import check_name, options_of
from timegrain.checks.model.catalogue import CHECKS, Check, chosen
from timegrain.checks.model.result import ModelCheck
from timegrain.checks.model.row import CheckRow, failed, not_applicable
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.sound import unsound_row
from timegrain.checks.model.subject import Subject
from timegrain.continuity.adapter.model_adapter import ModelAdapter
from timegrain.continuity.model.attempt import first_line
from timegrain.core.contract import FAILED, NOT_APPLICABLE, NOTED, PASSED
from timegrain.core.errors import ModelError, TimegrainError
from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.core.users_code import users_code
from timegrain.models.options import flag, seed_number


def check_model(
    model: str | torch.nn.Module | Callable[..., Any] | ModelAdapter,
    *,
    d_input: int | None = None,
    vocab: int | None = None,
    d_model: int = 8,
    options: Mapping[str, Any] | None = None,
    only: Iterable[str] = (),
    skip: Iterable[str] = (),
    quick: bool = False,
    seed: int = 0,
    name: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> ModelCheck:
    """Check whether a model keeps the contract of a layer in time; `model_checks` says what it is.

    Any model is checked on what it offers: one without a parameter `tau` is not asked about its
    step, one without `lengths` not about padding, one without `scan(x, state)` and
    `step(x_t, state)` not about states; the result says so. A module is copied to eval mode and
    float64, or to its own type where it does not run in that; the user's stays as it is.

    Args:
        model: A registered name; an `nn.Module` or a function of `(batch, time, channel)`, whose
            output is such, or pooled, or a tuple that begins with one; or a `ModelAdapter` of one,
            which tells one step for all samples.
        d_input: Channels of its input, where it does not say so itself.
        vocab: Number of tokens, where its input is `(batch, time)` tokens.
        d_model: For a name: channels of the layer.
        options: For a name: options of the layer.
        only: Names of checks to run; all if there are none.
        skip: Names of checks to leave out.
        quick: Whether to shorten the longest sequences, from 65,536 samples to 4,096, and those
            stepped through from 4,096 to 256; the result says so.
        seed: Of weights and inputs.
        name: For the result; the model's own if not given.
        progress: Called with a line about each check as it ends.

    Returns:
        One row a check and case: passed, failed, or not applicable with the reason.

    Raises:
        ConfigError: If there is no such check, an option does not go with the model, or a number
            is outside its domain.
        UnknownNameError: If there is no such registered layer.
        ModelError: If the model cannot be called at all. A failed check raises nothing; see
            `ModelCheck.raise_if_failed`.

    Note:
        A contract that is kept says nothing about how well a model learns, nor that it is
        continuous in time: `model_continuity` measures that.

    Example:
        >>> from torch import nn
        >>> class Last(nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.cell, self.head = nn.GRU(3, 8, batch_first=True), nn.Linear(8, 2)
        ...     def forward(self, x):
        ...         return self.head(self.cell(x)[0][:, -1])
        >>> result = check_model(Last(), quick=True, only=("batch", "parameters"))
        >>> result.passed
        True
    """
    checks = chosen(only, skip)
    check_name(name)
    settings = Settings.of(quick=flag("quick", quick))
    with _as_it_was():
        subject = adapt(
            model,
            d_input=d_input,
            vocab=vocab,
            d_model=d_model,
            options=options_of(options),
            seed=seed_number(seed),
            name=name,
        )
        unsound = unsound_row(subject)
    if unsound is None:
        rows = []
        for key, check in checks.items():
            found = _run(key, check, subject, settings)
            rows += found
            if progress is not None:
                progress(f"{subject.name}: {key} {_worst(found)}")
    else:
        nothing = not_applicable(f"see {unsound.label}: there is nothing to compare")
        rows = [unsound, *(nothing.of(key) for key in checks if key != unsound.check)]
    left_out = [key for key in CHECKS if key not in {*checks, *(row.check for row in rows)}]
    return _result(subject, settings, rows, left_out=left_out, seed=seed)


@contextmanager
def _as_it_was() -> Iterator[None]:
    """Undo what a model may set for the whole process: the grad mode and the default dtype."""
    graded, kind = torch.is_grad_enabled(), torch.get_default_dtype()
    try:
        yield
    finally:
        torch.set_grad_enabled(graded)
        torch.set_default_dtype(kind)


def _worst(rows: list[CheckRow]) -> str:
    """Return the verdict of a check with several cases."""
    verdicts = {row.verdict for row in rows}
    return next((v for v in (FAILED, PASSED, NOTED) if v in verdicts), NOT_APPLICABLE)


def _run(name: str, check: Check, subject: Subject, settings: Settings) -> list[CheckRow]:
    """Run one check; what the model raises in it is a failure of the model."""
    rows: list[CheckRow] = []
    try:
        rng = torch.random.fork_rng(devices=[])
        with users_code(subject.name, ModelError), rng, _as_it_was():
            for row in check(subject.copy(), settings):
                rows.append(row.of(name))
    except TimegrainError as error:
        cure = error.hint or "running the model on the input that the check gives it"
        rows.append(failed(first_line(error), cure=cure).of(name))
    except MemoryError as error:
        said = str(error).strip() or "MemoryError"
        cure = f'a smaller model, or going without this check: skip=("{name}",)'
        rows.append(failed(f"out of memory: {said}", cure=cure).of(name))
    return rows


def _result(
    subject: Subject, settings: Settings, rows: list[CheckRow], *, left_out: list[str], seed: int
) -> ModelCheck:
    wrong = any(row.verdict == "failed" for row in rows)
    dtype = str(subject.dtype).removeprefix("torch.")
    notes = []
    if settings.quick and not {"steps", "finite"} <= set(left_out):
        notes.append(
            f"Quick: at most {settings.longest:,} samples and {settings.steps:,} steps, in the "
            "place of 65,536 and 4,096."
        )
    if left_out:
        notes.append(f"Not run: {', '.join(left_out)}.")
    if dtype != "float64":
        notes.append(f"Equalities were checked in {dtype}, in which the model computes.")
    return ModelCheck(
        name=subject.name,
        outcome=Outcome.BREAKS_CONTRACT if wrong else Outcome.KEEPS_CONTRACT,
        provenance=Provenance.collect(seed=seed, parameters=_parameters(subject, settings)),
        notes=tuple(notes),
        dtype=dtype,
        told=subject.told,
        quick=settings.quick,
        checks=tuple(rows),
    )


def _parameters(subject: Subject, settings: Settings) -> dict[str, object]:
    built = subject.built
    own = {} if built is None else {"d_model": built.d_model, "options": dict(built.options)}
    width = "vocab" if subject.inputs.tokens else "d_input"
    return {"model": subject.name, width: subject.inputs.width, "quick": settings.quick, **own}
