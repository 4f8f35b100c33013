"""One unit of the benchmark of tasks: a continuity, the baseline, or a small network."""

import time
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial

import numpy as np

from timegrain import baseline_score, build_model, dataset_continuity, load_dataset, load_task
from timegrain.core.errors import TimegrainError
from timegrain.data.cards import task_card
from timegrain.data.catalogue import card as dataset_card
from timegrain.data.subset import take
from units import fewer

KINDS = CONTINUITY, BASELINE, MODEL = "continuity", "baseline", "model"
WATCHED = 16  # cases scored after each epoch
# cases of this length are as many as the sizes say; of shorter ones there are more, at most so many
# times as many to learn from and to score
LENGTH, MORE = 1024, (8, 2)


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Sizes of the benchmark: every task gets the same network and about the same samples."""

    window: int = 128
    n_sequences: int = 200
    n_train: int = 512
    n_test: int = 400
    # cases are fewer where they are long, so that a unit reads about so many samples at most
    most_samples: int = 1_000_000
    fewest_cases: int = 48
    model: str = "s4d"
    d_model: int = 32
    n_layers: int = 2
    batch_size: int = 16
    lr: float = 0.01
    # samples read in all epochs together, within these numbers of epochs
    trained_samples: int = 3_000_000
    epochs: tuple[int, int] = (3, 40)
    seed: int = 0

    def cases(self, wanted, length):
        return min(wanted, max(self.fewest_cases, self.most_samples // length))

    def epochs_of(self, n_train, length):
        low, high = self.epochs
        return int(np.clip(round(self.trained_samples / (n_train * length)), low, high))


SIZES = Sizes()


@dataclass(frozen=True, kw_only=True)
class Unit:
    kind: str  # "continuity", "baseline" or "model"
    task: str

    @property
    def name(self):
        return f"{self.task}--{self.kind}"


def units_of(cards):
    """Return all units: of each task its continuity and, where something is asked, the scores.

    What is in a folder of the user's cannot be measured here.
    """
    here = [card for card in cards if card.origin != "folder"]
    units = [Unit(kind=CONTINUITY, task=card.name) for card in here]
    for kind in (BASELINE, MODEL):
        units += [Unit(kind=kind, task=card.name) for card in here if card.problem is not None]
    return units


def settings_of(sizes):
    """Return what tells the settings of a unit: the sizes, and the version of its task."""
    # other processes are sent it, which a function within this one could not be
    return partial(_settings, sizes)


def _settings(sizes, unit):
    card = task_card(unit.task)
    head = {"head": "last"} if unit.kind == MODEL and asks_of_the_end(card) else {}
    return {**asdict(sizes_of(unit.task, sizes)), **head, "version": card.version}


def asks_of_the_end(card):
    """Return whether the last sample is the place to answer at: what comes next, or a state.

    Of a made sequence of symbols that is so in all tasks here: a question stands at its end.
    """
    made = card.origin in ("generated", "machine")
    symbols = card.size is not None and card.size.kind == "tokens"
    return "ahead" in card.problem.words or (made and (symbols or card.name.endswith("-forecast")))


def sizes_of(name, sizes):
    """Return the sizes for a task: more cases where they are short."""
    card = task_card(name)
    if card.size is None or card.problem is None:
        return sizes
    length = card.problem.words.get("window", card.size.longest)
    train, test = (int(np.clip(round(LENGTH / length), 1, most)) for most in MORE)
    return replace(sizes, n_train=train * sizes.n_train, n_test=test * sizes.n_test)


def needs(unit, sizes):
    """Return the units whose results a unit reads: none."""
    return ()


def carry_out(unit, sizes, found):
    """Return what a unit found as JSON values, or the reason why nothing could be found.

    Args:
        unit: What to do.
        sizes: How large.
        found: Not used, as no unit reads another.
    """
    work = {CONTINUITY: _continuity, BASELINE: _baseline, MODEL: _trained}[unit.kind]
    begun = time.process_time()
    try:
        result = work(unit.task, sizes_of(unit.task, sizes))
        return result | {"processor_seconds": time.process_time() - begun}
    except TimegrainError as error:
        got = "" if error.got is None else f", got {error.got}"
        return {"reason": f"{error.what}{got}"}


def _continuity(name, sizes):
    data = load_dataset(name, **_fewer_made(name, sizes))
    first = take(data, np.arange(min(len(data), sizes.n_sequences)))
    result = dataset_continuity(first, window=sizes.window, seed=sizes.seed)
    if result.continuity is None:
        return {"reason": result.reasons.get("continuity", result.outcome.name)}
    low, high = result.interval or (None, None)
    return {
        "continuity": result.continuity,
        "low": low,
        "high": high,
        "n_sequences": result.n_sequences,
        "outcome": result.outcome.name,
    }


def _baseline(name, sizes):
    task = sized(name, sizes)
    done = baseline_score(task, seed=sizes.seed)
    return _score(done, task) | {"seconds": done.seconds}


def _trained(name, sizes):
    from timegrain import train
    from timegrain.training import evaluate
    from timegrain.training.targets import is_per_sample

    task = sized(name, sizes)
    # the test part is scored once, after the last epoch; a few cases stand for it before
    watch = replace(task, test=task.test.take(np.arange(min(len(task.test), WATCHED))))
    head = "last" if asks_of_the_end(task_card(name)) else "mean"
    if is_per_sample(task.train, task.n_outputs):
        head = "step"
    epochs = sizes.epochs_of(len(task.train), task.train.x.shape[1])
    model = build_model(
        sizes.model, d_input=task.d_input, d_output=task.d_output, d_model=sizes.d_model,
        n_layers=sizes.n_layers, seed=sizes.seed, head=head,
    )  # fmt: skip
    run = train(model, watch, epochs=epochs, lr=sizes.lr, batch_size=sizes.batch_size,
                seed=sizes.seed)  # fmt: skip
    return _score(evaluate(model, task), task) | {
        "seconds": run.seconds,
        "epochs": epochs,
        "n_parameters": run.n_parameters,
    }


def _score(result, task):
    return {
        "score": result.score,
        "low": result.low,
        "high": result.high,
        "trivial": task.trivial_score,
        "metric": task.metric,
        "n_train": len(task.train),
        "n_test": len(task.test),
    }


@lru_cache(maxsize=1)
def sized(name, sizes):
    """Return the task of a card with at most as many cases as the sizes say."""
    words = dict(task_card(name).problem.words) | _fewer_made(name, sizes)
    task = load_task(name, **words)
    task = replace(task, validation=None)
    length = task.train.x.shape[1]
    return fewer(task, sizes.cases(sizes.n_train, length), sizes.cases(sizes.n_test, length))


def _fewer_made(name, sizes):
    """Return the options with which a generator makes no more cases than are used."""
    generator = dataset_card(name).generator
    size = task_card(name).size
    if generator is None or size is None:
        return {}
    return {
        "n_train": min(generator.n_train, sizes.cases(sizes.n_train, size.longest)),
        "n_validation": 0,
        "n_test": min(generator.n_test, sizes.cases(sizes.n_test, size.longest)),
    }
