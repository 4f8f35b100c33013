"""Any dataset at one rate, on request: uneven times on a grid, gaps left open."""

from dataclasses import dataclass, replace

import numpy as np

from timegrain.core.errors import ConfigError, DataError
from timegrain.core.table import number
from timegrain.data.audit.clock import BRIDGED, DIFFERENT, KEPT, is_about_rates
from timegrain.data.audit.result import TimestampAudit
from timegrain.data.audit.steps import Steps, measure_steps
from timegrain.data.audit.words import RESAMPLED, duration
from timegrain.data.common_rate import check_hz, hertz, rates_note
from timegrain.data.dataset import Dataset
from timegrain.data.rate_words import MUCH, bridged_note, lost_note, share
from timegrain.data.subset import take
from timegrain.data.units import SECONDS
from timegrain.resample.bridge import WIDEST, Bridged
from timegrain.resample.uneven import Method

UPWARD = 0.1
_ALIKE = 0.1


def uniform(data: Dataset, hz: float) -> Dataset:
    """Return the dataset at `hz` samples a second, in seconds, without times.

    Samples at uneven times are put on a grid between their neighbours: at `hz`, on lines, where it
    is at least the recorded rate but for 5 %; else at the smallest multiple of `hz` that is, on
    cubic splines (on lines if fewer than 90 % of the steps are within 25 % of the median), followed
    by the low-pass filter of `fir_resample`. Even samples are filtered as they are. Before a
    filter, gaps of at most 1.25 new steps from sample to sample are bridged by cubic splines (on
    lines, of .4 new steps), which leaves an error below 5 % in a sine of half the new Nyquist
    frequency. Nothing is drawn across a longer gap: what lies in one is NaN, and so is a part
    between gaps that is shorter than the filter needs. Classes of samples become that of
    the latest sample, target values lie on lines, open wherever one is missing.

    Args:
        data: With a known unit of time.
        hz: The new rate.

    Raises:
        ConfigError: If the rate is not positive, the time unit is unknown, the data are symbols, or
            uneven samples would become more by over a tenth.
        DataError: If no value is left.

    Example:
        >>> ramp = Dataset(name="ramp", sequences=(np.arange(900.0)[:, None],), dt=10, unit="ms")
        >>> slow = uniform(ramp, 50)
        >>> slow, slow.sequences[0][:3, 0].round(9).tolist()
        (ramp: 1 sequence x 1 channel, length 450, dt 0.02 s, [0.0, 2.0, 4.0])
    """
    check_hz(hz)
    _check(data, hz)
    plans = [_plan(data, i, hz) for i in range(len(data))]
    made = [_one(data, i, plan, hz) for i, plan in enumerate(plans)]
    kept = np.flatnonzero([len(m.values) > 1 and not m.empty for m in made])
    if not len(kept):
        raise _nothing(data, plans, hz)
    chosen = take(data, kept)
    much = sum(m.lost for m in made) > MUCH * sum(m.values.size for m in made)
    return replace(
        chosen,
        sequences=tuple(made[i].values for i in kept),
        targets=None if data.targets is None else tuple(made[i].target for i in kept),
        times=None,
        starts=_starts(
            chosen, [len(made[i].values) for i in kept], [hz / plans[i].rate for i in kept]
        ),
        dt=1 / hz,
        unit="s",
        audits=tuple(_done(audit, hz, made) for audit in data.audits),
        notes=(
            *(_lost(plans, made, hz) if much else ()),
            *(n for n in data.notes if not is_about_rates(n)),
            *_notes(data, plans, made, hz),
            *(() if much else _lost(plans, made, hz)),
            *_left_out(data, kept),
        ),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Plan:
    """What is done with a sequence: a grid `over` times finer than the new one, then a filter."""

    times: np.ndarray | None
    rate: float
    longest: float = np.inf
    over: int = 1
    up: int = 1
    down: int = 1
    method: Method = "cubic"
    bridge: float = 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class _Made:
    values: np.ndarray
    target: np.ndarray
    lost: int
    step: float = 0.0
    bridged: Bridged | None = None

    @property
    def empty(self) -> bool:
        return bool(np.isnan(self.values).all())


def _check(data: Dataset, hz: float) -> None:
    if data.kind == "tokens":
        raise ConfigError("symbols have no values between them", got=f"common_hz={hz:g}")
    if data.unit not in SECONDS:
        known = data.times is not None or data.unit != "sample"
        raise ConfigError(
            f"the rate of {data.name!r} is not known in Hz",
            got=f"common_hz={hz:g}, and times in {data.unit!r}" if known else f"common_hz={hz:g}",
            expected=f"a time unit: {', '.join(SECONDS)}",
            hint="dt= with the recorded step, or time= with a column of times",
        )


def _plan(data: Dataset, i: int, hz: float) -> _Plan:
    from timegrain.resample.rational import ratio

    unit = SECONDS[data.unit]
    if data.times is None:
        rate, step = hertz(data), data.dt * unit
        try:
            up, down = ratio(step, 1 / hz)
        except ConfigError:
            up, down = _nearly(step * hz, int(data.lengths.max()))
        if up:
            widest = WIDEST["cubic"] * max(step, 1 / hz) if up != down else 0.0
            return _Plan(times=None, rate=rate, up=up, down=down, bridge=widest)
        times = np.arange(len(data.sequences[i])) * step
    else:
        times = data.times[i] * unit
        times = times - times[0]
    steps = _steps(data.sequences[i], times)
    rate = 1 / steps.mean
    if hz > (1 + UPWARD) * rate:
        where = data.ids[i] if data.ids else data.name
        raise ConfigError(
            f"{where!r} has fewer samples than the rate asks for",
            got=f"common_hz={hz:g}, recorded at {number(rate)} Hz, at uneven times",
            expected=f"{number((1 + UPWARD) * rate)} Hz at most: more would be made up",
            hint=f"common_hz={float(f'{rate:.3g}'):g} or less",
        )
    over = max(1, int(np.ceil(rate / hz * (1 - DIFFERENT) - 1e-9)))
    method: Method = "cubic" if over > 1 and steps.regular else "linear"
    return _Plan(
        times=times,
        rate=rate,
        longest=steps.longest,
        over=over,
        down=over,
        method=method,
        bridge=WIDEST[method] / hz if over > 1 else 0.0,
    )


def _steps(x: np.ndarray, times: np.ndarray) -> Steps:
    """Return the steps between samples that are both there, gaps aside."""
    known = ~np.isnan(x).all(axis=1)
    both = known[1:] & known[:-1]
    found = np.diff(times)[both] if both.any() else np.diff(times)
    steps = measure_steps([np.concatenate([[0.0], np.cumsum(found)])])
    short = found[found <= steps.longest * (1 + 1e-9)]
    return replace(steps, mean=float(short.mean()))


def _nearly(up_by_down: float, n: int) -> tuple[int, int]:
    """Return `(up, down)` where the clock is off by less than .1 step in all; else zeros."""
    up, down = max(1, round(up_by_down)), max(1, round(1 / up_by_down))
    if abs(up_by_down * down / up - 1) * n < _ALIKE:
        return up, down
    return 0, 0


def _one(data: Dataset, i: int, plan: _Plan, hz: float) -> _Made:
    from timegrain.resample import bridge_gaps, resample_parts, to_uniform
    from timegrain.resample.uneven import latest

    x, step, found = data.sequences[i], 0.0, None
    even = plan.times is None
    times = plan.times
    if times is None:
        times = np.arange(len(x)) * (plan.up / plan.down / hz)
    if not even:
        step = _bridged(x, times, max(plan.longest, plan.bridge))
    if plan.bridge and np.isnan(x).any():
        found = bridge_gaps(x, times, longest=plan.bridge, method=plan.method)
        x = found.values
    if not even:
        longest = max(plan.longest, plan.bridge)
        x = to_uniform(x, times, dt=1 / (plan.over * hz), longest=longest, method=plan.method)
    values, lost = resample_parts(x, plan.up, plan.down)
    target = np.empty(0)
    if data.targets is not None:
        target = data.targets[i]
        if data.class_names:
            target = target[latest(times, len(values), dt=1 / hz)]
        else:
            target = to_uniform(target[:, None], times, dt=1 / hz, longest=plan.longest)[:, 0]
            target = target[: len(values)]
    return _Made(values=values, target=target, lost=lost, step=step, bridged=found)


def _bridged(x: np.ndarray, times: np.ndarray, longest: float) -> float:
    """Return the longest step that something was put into."""
    known = ~np.isnan(x).all(axis=1)
    steps = np.diff(times)[known[1:] & known[:-1]]
    return float(steps[steps <= longest].max(initial=0.0))


def _starts(data: Dataset, lengths: list[int], ratios: list[float]) -> np.ndarray | None:
    """Return first samples in the new steps; parts that did not overlap still do not.

    Args:
        data: At the old rates.
        lengths: New samples of each sequence.
        ratios: New samples in the place of an old one, by sequence.
    """
    if data.starts is None:
        return None
    starts = np.zeros(len(data), dtype=np.int64)
    last: dict[str, tuple[int, float, int]] = {}
    for i, (length, ratio) in enumerate(zip(lengths, ratios, strict=True)):
        name = data.ids[i] if data.ids else ""
        old = int(data.starts[i])
        if name in last:
            j, place, end = last[name]
            before = int(data.starts[j])
            place += (old - before) * ratios[j]
            apart = old >= before + len(data.sequences[j])
        else:
            place, end, apart = old * ratio, 0, False
        starts[i] = max(round(place), end) if apart else round(place)
        last[name] = (i, place, int(starts[i]) + length)
    return starts


def _done(audit: TimestampAudit, hz: float, made: list[_Made]) -> TimestampAudit:
    actions = (a for a in audit.actions if a != KEPT)
    short = f", {BRIDGED}" if any(m.bridged is not None and m.bridged.filled for m in made) else ""
    return replace(audit, actions=(*actions, f"{RESAMPLED} {hz:g} Hz{short}"))


def _notes(data: Dataset, plans: list[_Plan], made: list[_Made], hz: float) -> list[str]:
    notes = []
    uneven = [p for p in plans if p.times is not None]
    if uneven:
        notes += _uneven(uneven, made, hz)
    else:
        notes.append(rates_note((data,), hz))
    total = sum(m.values.size for m in made)
    lost = sum(m.lost for m in made)
    gaps = sum(int(np.isnan(m.values).sum()) for m in made) - lost
    if gaps:
        notes.append(f"{share(gaps, total)} of the values at {hz:g} Hz lie in gaps: left empty")
    found = [m.bridged for m in made if m.bridged is not None]
    said = bridged_note(found, sum(x.size for x in data.sequences), hz)
    return [*notes, said] if said else notes


def _lost(plans: list[_Plan], made: list[_Made], hz: float) -> tuple[str, ...]:
    lost = sum(m.lost for m in made)
    if not lost:
        return ()
    note = lost_note(
        lost,
        sum(m.values.size for m in made),
        hz=hz,
        needed=max(_needed(p, hz) for p in plans),
        rates=[p.rate for p in plans],
        left=np.concatenate([m.bridged.left for m in made if m.bridged] or [np.empty(0)]),
    )
    return (note,)


def _uneven(plans: list[_Plan], made: list[_Made], hz: float) -> list[str]:
    rates = [p.rate for p in plans]
    low, high = number(min(rates)), number(max(rates))
    said = low if low == high else f"{low} to {high}"
    notes = []
    for method, words in (("linear", "lines between"), ("cubic", "cubic splines through")):
        chosen = [m for m, p in zip(made, plans, strict=True) if p.method == method]
        if not chosen:
            continue
        step = max(m.step for m in chosen)
        # (pi f h)^2 / 2, and 5 (2 pi f h)^4 / 384, equal .05
        exact = 0.1007 / step if method == "linear" else 0.2228 / step
        notes.append(
            f"samples at uneven times, recorded at {said} Hz, were put on a uniform grid on "
            f"request, on {words} them: an instant is at most "
            f"{duration(step / 2, 's')} from a sample; a sine of up to "
            f"{number(exact, 2)} Hz is off by 5 % of its amplitude at most, and faster content "
            "and noise are weakened"
        )
    if any(p.over > 1 for p in plans):
        notes.append(
            f"brought to {hz:g} Hz behind a low-pass without delay: content is weakened from "
            f"{0.4 * hz:.4g} Hz on"
        )
    if any(p.over == 1 for p in plans):
        notes.append(f"nothing was filtered: content above {hz / 2:.4g} Hz, if any, folds back")
    return notes


def _left_out(data: Dataset, kept: np.ndarray) -> tuple[str, ...]:
    lost = sorted(set(range(len(data))) - set(kept.tolist()))
    if not lost:
        return ()
    names = [data.ids[i] if data.ids else str(i) for i in lost]
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return (f"sequences without any value left were left out: {', '.join(names[:8])}{more}",)


def _needed(plan: _Plan, hz: float) -> float:
    from timegrain.resample import shortest_length

    n = shortest_length(max(plan.up, plan.down), up=plan.up)
    return n * plan.up / (plan.down * hz)


def _nothing(data: Dataset, plans: list[_Plan], hz: float) -> DataError:
    longest = max(len(s) * (1 / p.rate) for s, p in zip(data.sequences, plans, strict=True))
    return DataError(
        f"no value of {data.name!r} is left at {hz:g} Hz",
        got=f"recordings of {duration(longest, 's')} at most, gaps included",
        expected=f"parts without a gap of {duration(max(_needed(p, hz) for p in plans), 's')}, "
        "three times the filter",
        hint="a higher rate, which needs a shorter filter",
    )
