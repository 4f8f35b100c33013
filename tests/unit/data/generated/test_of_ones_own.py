"""A generator of one's own, as it is and as `module:name`, where a name of a set is taken."""

import textwrap

import numpy as np
import pytest

from timegrain.cli.main import run
from timegrain.core.errors import ConfigError, DataError
from timegrain.data import check_source, load_dataset, load_datasets, load_task

_MODULE = """
    import numpy as np
    from timegrain.data.generated import Cases, Generator, case_streams, whole

    def make(index, *, seed, length):
        slope = np.array([r.uniform(-1, 1) for r in case_streams(seed, "slopes", index)])
        x = slope[:, None, None] * np.arange(length)[None, :, None]
        return Cases(sequences=x, labels=slope)

    slopes = Generator(
        name="slopes", make=make, source="lines", values="a height", label="the slope",
        options={"length": whole(6, 2, None, "the number of samples")},
        n_train=5, n_validation=1, n_test=2, kind="real", target="value", value_names=("slope",),
    )
    number = 3

    def made():
        return slopes
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # another name each time: a module is imported once
    name = f"own_{tmp_path.name}".replace("-", "_").replace("[", "").replace("]", "")
    (tmp_path / f"{name}.py").write_text(textwrap.dedent(_MODULE))
    return name


def test_a_generator_is_loaded_where_a_name_is(walk):
    data = load_dataset(walk, length=9, seed=3)
    assert data.lengths.tolist() == [9] * 36
    assert data.options == {"length": 9, "seed": 3}
    task = load_task(walk, length=9, seed=3)
    assert np.array_equal(task.test.y, data.labels[26:].astype(np.float32))
    lazy = load_task(walk, length=9, seed=3, lazy=True)
    np.testing.assert_allclose(np.asarray(lazy.test.x), task.test.x, rtol=3e-7, atol=1e-6)
    with pytest.raises(ConfigError, match="'walk' has no option 'wide'"):
        load_task(walk, wide=3)


def test_what_it_was_turned_to_is_told(walk):
    turned = walk.turned(length=9)
    assert load_dataset(turned).options == load_datasets(turned)[0].options == {"length": 9}
    assert load_dataset(turned, length=4).options == {"length": 4}


def test_a_generator_with_the_name_of_a_shipped_set_has_no_version(walk):
    from dataclasses import replace

    assert load_dataset(replace(walk, name="parity")).version is None
    assert load_dataset("parity", n_train=2, n_validation=0, n_test=2).version == 1


def test_a_generator_goes_by_its_module_and_name(module, capsys):
    task = load_task(f"{module}:slopes", length=4, seed=1)
    assert task.train.x.shape == (5, 4, 1)
    assert check_source(f"{module}:slopes", cases=2, only=("determinism",)).passed
    words = ["--source-options", "length=12,n_train=9", "--dry-run"]
    assert run(["train", "s4d", f"{module}:slopes", *words]) == 0
    assert run(["data", f"{module}:slopes", *words]) == 0
    assert "slopes: 12 sequences x 1 channel, length 12" in capsys.readouterr().err
    with pytest.raises(DataError, match="or a Generator"):
        load_task(f"{module}:number")


def test_a_function_that_returns_a_generator_is_no_source_but_says_what_is(module):
    with pytest.raises(DataError, match=r"is no dataset, got Generator.*(?s:.)Try module:name"):
        load_dataset(f"{module}:made")
