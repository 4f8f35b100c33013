"""What a pooling model pools: the last sequence from which its output is made."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.model.readout import to_array
from timegrain.continuity.model.subject import Batch, Sample
from timegrain.core.errors import ModelError

if TYPE_CHECKING:
    import torch

    from timegrain.continuity.model.returned import Returned
    from timegrain.continuity.model.tape import Operation, Seen

Run = Callable[[Batch], Any]
Shape = tuple[int, ...]
ONE_BY_ONE = "it goes through the samples one by one"
RESAMPLED = "it changes the number of samples first"
MORE = "its output depends on more than the last sequence seen"
NOTHING = "no operation on a sequence with the input's times is seen"


@dataclass(frozen=True, kw_only=True)
class Pooled:
    """What a model pools.

    Args:
        words: What it is, for people.
        place: Where it is; its `read` runs the model.
    """

    words: str
    place: "Place | Returned"

    def read(self, run: Run, x: Batch) -> tuple[Any, Float64[np.ndarray, "1 time channel"]]:
        """Run a model and return its raw output with what it pools.

        Args:
            run: The model on `(1, time, channel)`.
            x: Its input.

        Raises:
            ModelError: If this run has no such sequence.
        """
        from timegrain.continuity.model.tape import as_real

        raw, sequence = self.place.read(run, x)
        return raw, to_array(as_real(sequence).reshape(1, x.shape[1], -1))[0]


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where in a run a sequence is.

    Args:
        back: Operations from the end; 1 is the last one.
        operation: Its name.
        made: Whether the operation makes the sequence; else it reads it.
        position: Which of its tensors.
        axis: The tensor's axis that is time.
    """

    back: int
    operation: str
    made: bool
    position: int
    axis: int

    def read(self, run: Run, x: Batch) -> "tuple[Any, torch.Tensor]":
        """Run a model and return its raw output with the sequence, time first."""
        from timegrain.continuity.model.tape import Tail

        with Tail(self.back) as tail:
            raw = run(x)
        operations, length = tail.operations(), x.shape[1]
        same = len(operations) == self.back and operations[0].name == self.operation
        seen = _tensors(operations[0], self.made)[self.position :] if same else ()
        if not seen or seen[0].tensor.shape[self.axis : self.axis + 1] != (length,):
            raise ModelError(
                f"the model does other operations on {length} samples than on fewer",
                hint="giving it a method features(x) that returns what it pools",
            )
        return raw, seen[0].tensor.movedim(self.axis, 0)


@dataclass(frozen=True, kw_only=True)
class _Recording:
    operations: "Sequence[Operation]"
    output: Float64[np.ndarray, "..."]


def find_pooled(run: Run, samples: tuple[Sample, Sample], *, module: Any = None) -> Pooled:
    """Find the last sequence from which a model makes its output, by watching its operations.

    The model is run on two inputs of one length and on one of another. From the end backwards, the
    first tensor that depends on the input and has its number of samples is the sequence. It counts
    if it is read as a whole, and if the output depends on the input through it alone: with the
    sequence of the first input put in its place, the second input must give the first's output.

    Args:
        run: The model on `(1, time, channel)`.
        samples: Inputs of two lengths.
        module: Whose submodules may return the sequence.

    Raises:
        ModelError: If there is no such sequence; `what` says why.
    """
    short, long = samples
    times = short.shape[1], long.shape[1]
    other = 0.25 + 1.5 * short[:, ::-1]  # differs at every time, and in every mean over time
    first, second, longer = (_record(run, x) for x in (short, other, long))
    place = _last_sequence(first, second, longer, times)
    _check_whole(place, first, longer)
    _check_alone(run, other, place, first, second)
    reader = place.operation.removeprefix("aten::").strip("_")
    which = "" if place.made else f", which {reader} reads"
    if module is not None:
        from timegrain.continuity.model.returned import find_returned

        # a hook is far cheaper than watching every operation of a long run
        returned = find_returned(run, samples, module, _at(first, place).tensor)
        if returned is not None:
            return Pooled(words=f"the output of {returned.name}{which}", place=returned)
    return Pooled(words=f"a sequence that no submodule returns{which}", place=place)


def _record(run: Run, x: Sample) -> _Recording:
    from timegrain.continuity.model.tape import Tape

    with Tape() as tape:
        raw = run(x.copy())
    return _Recording(operations=list(tape.operations), output=to_array(raw)[0])


def _last_sequence(
    first: _Recording, second: _Recording, longer: _Recording, times: tuple[int, int]
) -> Place:
    runs = (first.operations, second.operations, longer.operations)
    for back, same in enumerate(zip(*map(reversed, runs), strict=False), start=1):
        kinds = {(o.name, len(o.reads), len(o.makes)) for o in same}
        if len(kinds) > 1:
            raise ModelError(ONE_BY_ONE)
        for made in (True, False):
            tensors = zip(*(_tensors(o, made) for o in same), strict=True)
            found = [
                (seen[0].tensor.numel(), -position, axis)
                for position, seen in enumerate(tensors)
                if (axis := _time_axis([s.tensor for s in seen], times)) is not None
            ]
            if found:
                _, position, axis = max(found)
                return _place(first, back, made, -position, axis)
    raise ModelError(NOTHING)


def _time_axis(same: "Sequence[torch.Tensor]", times: tuple[int, int]) -> int | None:
    """Return which axis of one tensor in three runs is time; None if it has none.

    A tensor that the input does not change, such as a mask, is no sequence.
    """
    import torch

    from timegrain.continuity.model.tape import floating

    first, second, longer = same
    if first.shape == longer.shape or not floating(first):
        return None
    if first.shape == second.shape and torch.equal(first, second):
        return None
    pairs = list(zip(first.shape, longer.shape, strict=False))
    follow = [i for i, pair in enumerate(pairs) if pair[0] != pair[1]]
    if first.shape != second.shape or first.ndim != longer.ndim or len(follow) != 1:
        raise ModelError(RESAMPLED)
    if pairs[follow[0]] != times:
        raise ModelError(RESAMPLED)
    return follow[0]


def _place(first: _Recording, back: int, made: bool, position: int, axis: int) -> Place:
    name = first.operations[-back].name
    if not made and not name.startswith("aten::"):
        raise ModelError(f"{name} reads it, which cannot be looked into")
    return Place(back=back, operation=name, made=made, position=position, axis=axis)


def _check_whole(place: Place, first: _Recording, longer: _Recording) -> None:
    """Refuse a sequence that is read more often the longer it is."""
    counts = []
    for run in (first, longer):
        state = _at(run, place).state
        counts.append(Counter(s.state for o in run.operations for s in o.reads)[state])
    if counts[0] != counts[1]:
        raise ModelError(ONE_BY_ONE)


def _check_alone(
    run: Run, other: Sample, place: Place, first: _Recording, second: _Recording
) -> None:
    """Refuse a sequence if the output depends on the input past it."""
    from timegrain.continuity.model.tape import Tape, all_found_in

    start, values = _first_read(first, place), _at(first, place).tensor
    # What holds nothing but values of the sequence is a part of it: a last state, a maximum.
    parts = {
        (number, i): seen.tensor.clone()
        for number, operation in enumerate(first.operations)
        if number >= start
        for i, seen in enumerate(operation.reads)
        if all_found_in(seen.tensor, values)
    }

    def put(number: int, tensors: "tuple[torch.Tensor, ...]") -> None:
        for i, tensor in enumerate(tensors):
            part = parts.get((number, i))
            if part is not None and part.shape == tensor.shape and not part.equal(tensor):
                tensor.copy_(part)

    with Tape(before=put):
        output = to_array(run(other.copy()))[0]
    moved = np.abs(second.output - first.output).max()
    if np.abs(output - first.output).max() > 1e-6 * moved:
        raise ModelError(MORE)


def _first_read(run: _Recording, place: Place) -> int:
    """Return the number of the operation from which on the sequence is read."""
    last = len(run.operations) - place.back
    if place.made:
        return last + 1
    state = _at(run, place).state
    return next(
        number
        for number, operation in enumerate(run.operations)
        if any(seen.state == state for seen in operation.reads)
    )


def _at(run: _Recording, place: Place) -> "Seen":
    return _tensors(run.operations[-place.back], place.made)[place.position]


def _tensors(operation: "Operation", made: bool) -> "tuple[Seen, ...]":
    return operation.makes if made else operation.reads
