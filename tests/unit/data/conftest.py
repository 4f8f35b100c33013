import sys
import types
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def fixtures() -> Path:
    return Path(__file__).parent / "fixtures"


@pytest.fixture
def in_empty_folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _walks(index, *, seed, length, step, lengthen):
    from timegrain.data.generated.cases import Cases
    from timegrain.data.generated.streams import case_streams

    longest = length + (3 if lengthen else 0)
    x = np.zeros((len(index), longest, 2))
    labels, lengths = np.zeros(len(index)), np.full(len(index), length)
    for row, draw in enumerate(case_streams(seed, "walk", index)):
        drift = draw.uniform(-1, 1)
        n = length + (int(draw.integers(0, 4)) if lengthen else 0)
        x[row, :n] = np.cumsum(drift + step * draw.standard_normal((n, 2)), axis=0)
        labels[row], lengths[row] = drift, n
    return Cases(sequences=x, labels=labels, lengths=lengths.astype(np.int64))


def _echoes(index, *, seed, length, kinds, each):
    from timegrain.data.generated.cases import Cases
    from timegrain.data.generated.streams import case_streams

    x = np.stack([r.integers(0, kinds, length) for r in case_streams(seed, "echo", index)])
    running = np.cumsum(x, axis=1) % kinds
    return Cases(sequences=x, labels=running if each else running[:, -1])


@pytest.fixture
def walk():
    """Real sequences of two channels whose drift is to be told; ragged with `lengthen`."""
    from timegrain.data.generated import Generator, number, switch, whole

    return Generator(
        name="walk",
        make=_walks,
        source="a drifting walk",
        values="a place",
        label="the drift",
        options={
            "length": whole(16, 2, None, "samples of the shortest sequence"),
            "step": number(0.5, 0.0, 10.0, "deviation of a step"),
            "lengthen": switch(False, "whether some are longer"),
        },
        n_train=20,
        n_validation=6,
        n_test=10,
        kind="real",
        target="value",
        value_names=("drift",),
        channel_names=("x", "y"),
        dt=0.5,
        unit="s",
    )


@pytest.fixture
def echo():
    """Tokens whose running sum is to be told, at the end or, with `each`, at every sample."""
    from timegrain.data.generated import Generator, switch, whole

    def depends(*, kinds, each, **others):
        return {
            "n_symbols": kinds,
            "class_names": tuple(str(i) for i in range(kinds)),
            "target": "class-per-sample" if each else "class",
        }

    return Generator(
        name="echo",
        make=_echoes,
        source="a running sum",
        values="a digit",
        label="the sum",
        options={
            "length": whole(24, 2, None, "symbols of a sequence"),
            "kinds": whole(3, 2, 9, "kinds of symbols"),
            "each": switch(False, "whether an answer is asked at every symbol"),
        },
        n_train=30,
        n_validation=8,
        n_test=12,
        kind="tokens",
        n_symbols=3,
        target="class",
        class_names=("0", "1", "2"),
        depends=depends,
        unit="symbol",
    )


@pytest.fixture
def registered(walk, echo, monkeypatch):
    """The names `walk` and `echo`, as shipped sets have them."""
    from timegrain.data.catalogue import datasets

    module = types.ModuleType("sources_of_these_tests")
    module.WALK, module.ECHO = walk, echo
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(datasets, "_entries", dict(datasets._entries))
    datasets.register("walk", f"{module.__name__}:WALK", "drifting walks")
    datasets.register("echo", f"{module.__name__}:ECHO", "running sums")
