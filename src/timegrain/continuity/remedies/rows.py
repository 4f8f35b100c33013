"""Rows of a `Remedy` from what the instrument says before and after."""

from collections.abc import Iterator, Sequence

from timegrain.continuity.localisation.result import Localisation
from timegrain.continuity.model.options import nearest
from timegrain.continuity.model.result import ModelContinuity
from timegrain.continuity.remedies.result import RemedyError, RemedyRow


def model_row(stage: str, seen: ModelContinuity) -> RemedyRow:
    """Return the row of the model itself.

    Args:
        stage: `"before"` or `"after"`.
        seen: What was measured then.
    """
    main = seen.amplitudes[nearest(seen.amplitudes)]
    memory = [row.memory for row in seen.memory or () if row.amplitude == main]
    first, last = (memory[0], memory[-1]) if memory else (None, None)
    error = next(r.error for r in seen.errors if r.amplitude == main and r.tau == seen.working_tau)
    return RemedyRow(
        stage=stage,
        module="",
        outcome=seen.outcome,
        order=seen.order,
        error=error,
        memory=first,
        memory_finest=last,
        memory_ratio=last / first if first and last is not None else None,
        amplitude_exponent=seen.amplitude_exponent,
        interval=seen.interval,
        amplitude_interval=seen.amplitude_interval,
    )


def module_rows(
    stage: str, seen: Localisation, names: Sequence[str], *, prefix: str = ""
) -> Iterator[RemedyRow]:
    """Iterate the rows of modules that a cure changes; of those that could be followed.

    Args:
        stage: `"before"` or `"after"`.
        seen: What was measured then.
        names: Their names in the model that was passed.
        prefix: What these begin with in the cured one.
    """
    rows = {row.module: row for row in seen.modules}
    for name in names:
        row = rows.get(f"{prefix}{name}") if name else None
        if row is not None:
            yield RemedyRow(
                stage=stage,
                module=name,
                outcome=row.outcome,
                order=row.order,
                error=row.change,
                memory=row.memory,
                memory_finest=row.memory_finest,
                memory_ratio=row.memory_ratio,
                amplitude_exponent=row.amplitude_exponent,
                interval=row.interval,
            )


def remedy_errors(before: ModelContinuity, after: ModelContinuity) -> tuple[RemedyError, ...]:
    """Return the errors of the working grid at each amplitude."""

    def at_work(seen: ModelContinuity) -> dict[float, float | None]:
        return {row.amplitude: row.error for row in seen.errors if row.tau == seen.working_tau}

    was, now = at_work(before), at_work(after)
    return tuple(RemedyError(amplitude=a, before=was[a], after=now[a]) for a in was)
