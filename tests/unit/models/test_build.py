import json
import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from timegrain.core.errors import ConfigError, UnknownNameError
from timegrain.models import build_layer, build_model, layer_options, models
from timegrain.models.build import check_layer_options
from timegrain.models.hippo import legs_modes

SIZE = {"d_input": 2, "d_output": 3, "d_model": 8, "n_layers": 2}


def weights(module):
    return torch.cat([p.detach().flatten() for p in module.parameters()])


@pytest.mark.parametrize("name", models.names())
def test_a_seed_decides_the_weights_and_disturbs_nothing(name):
    torch.manual_seed(11)
    state = torch.get_rng_state()
    first, again = (build_model(name, seed=5, **SIZE) for _ in range(2))
    assert torch.equal(weights(first), weights(again))
    assert torch.equal(torch.get_rng_state(), state)
    assert not torch.equal(weights(build_model(name, seed=6, **SIZE)), weights(first))
    assert not torch.equal(weights(first.mixers[0]), weights(first.mixers[1]))
    layer = build_layer(name, d_model=8, seed=5)
    assert torch.equal(weights(layer), weights(build_layer(name, d_model=8, seed=5)))
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize("name", models.names())
@pytest.mark.parametrize("kind", [torch.float64, torch.bfloat16], ids=str)
def test_weights_are_of_the_default_type(name, kind):
    usual = torch.get_default_dtype()
    torch.set_default_dtype(kind)
    try:
        layer = build_layer(name, d_model=4, seed=0)
    finally:
        torch.set_default_dtype(usual)
    assert {weight.dtype for weight in layer.parameters()} == {kind}


def test_poles_have_the_digits_of_their_type():
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        lin, normal = build_layer("s4d", d_model=1), build_layer("s5", d_model=2, n_blocks=1)
    finally:
        torch.set_default_dtype(usual)
    assert lin.frequency[0, 1] == math.pi and lin.log_decay[0, 1] == math.log(0.5)
    assert normal.frequency.tolist() == legs_modes(32)[0].tolist()


def test_threads_that_build_at_once_have_their_own_seeds():
    def build(seed):
        return weights(build_model("s6", seed=seed, **{**SIZE, "d_model": 32, "n_layers": 4}))

    state = torch.get_rng_state()
    alone = [build(seed) for seed in (0, 1)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(build, [0, 1] * 20))
    assert all(torch.equal(w, alone[i % 2]) for i, w in enumerate(together))
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize("name", models.names())
def test_without_a_seed_the_global_generator_decides(name):
    torch.manual_seed(11)
    first = weights(build_model(name, **SIZE))
    assert not torch.equal(weights(build_model(name, **SIZE)), first)
    torch.manual_seed(11)
    assert torch.equal(weights(build_model(name, **SIZE)), first)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("s4d", {"n_pairs": 4, "form": "scan", "dropout": 0.1, "head": "step"}),
        ("s6", {"discretization": "zoh", "final_norm": True, "head": "last"}),
        ("s6", {"d_input": None, "vocab": 7}),
        ("gru", {"skip": False}),
    ],
)
def test_a_config_builds_the_network_again(name, options):
    model = build_model(name, seed=5, **{**SIZE, **options})
    config = json.loads(json.dumps(model.config))
    assert config == model.config
    assert {**config, **options} == config
    assert config.keys() >= layer_options(name).keys()
    twin = build_model(**config)
    assert torch.equal(weights(twin), weights(model))
    assert twin.config == config
    assert str(twin) == str(model)


def test_changing_a_returned_config_changes_nothing():
    model = build_model("gru", seed=5, **SIZE)
    model.config["d_model"] = 99
    assert model.config["d_model"] == 8


def test_options_are_read_from_the_layer():
    assert layer_options("gru") == {"skip": True}
    assert layer_options("s4d") == {
        "skip": True,
        "n_pairs": 32,
        "dt_min": 0.001,
        "dt_max": 0.1,
        "form": "auto",
        "init": "lin",
        "discretization": "zoh",
    }


def test_unknown_names_suggest_the_nearest():
    for build in (lambda: build_layer("s4dd", d_model=4), lambda: build_model("s4dd", **SIZE)):
        with pytest.raises(
            UnknownNameError, match=r"no model called 's4dd', expected one of .*\nTry s4d"
        ):
            build()


def test_unknown_options_list_what_the_layer_has():
    with pytest.raises(
        ConfigError,
        match=r"s4d has no option 'n_pair', expected one of bidirectional, .*n_pairs, .*skip\."
        r"\nTry n_pairs",
    ):
        build_model("s4d", n_pair=4, **SIZE)
    with pytest.raises(ConfigError, match=r"gru has no option 'discretization', expected .*skip"):
        build_layer("gru", d_model=4, discretization="zoh")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"skip": "no"}, "skip is a yes or no, got 'no'"),
        ({"skip": "False"}, "Try skip=false"),
        ({"skip": None}, "skip is a yes or no"),
        ({"dt_min": "x"}, "dt_min is a number, got 'x'"),
        ({"dt_max": None}, "dt_max is a number"),
        ({"form": ["scan"]}, "form is unknown"),
        ({"seed": -1}, "seed is a whole number, got -1"),
        ({"seed": "x"}, "seed is a whole number"),
        ({"d_model": True}, "d_model is a whole number"),
    ],
    ids=str,
)
def test_a_value_of_the_wrong_type_is_refused(options, words):
    with pytest.raises(ConfigError, match=words):
        build_layer("s4d", **{"d_model": 4, **options})


@pytest.mark.parametrize("name", models.names())
def test_no_layer_takes_a_word_for_yes(name):
    with pytest.raises(ConfigError, match="skip=false"):
        build_layer(name, d_model=4, skip="no")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"final_norm": "no"}, "final_norm is a yes or no"),
        ({"dropout": "x"}, "dropout is a number"),
        ({"dropout": True}, "dropout is a number"),
        ({"skip": "no"}, "skip is a yes or no"),
        ({"seed": 2**64}, "seed is a whole number"),
        ({"head": None}, "head is unknown"),
    ],
    ids=str,
)
def test_a_network_checks_its_options_too(options, words):
    with pytest.raises(ConfigError, match=words):
        build_model("s4d", **{**SIZE, **options})


@pytest.mark.parametrize("name", [5, None, ["s4d"]])
def test_a_layer_is_asked_for_by_name(name):
    for build in (lambda: build_layer(name, d_model=4), lambda: build_model(name, **SIZE)):
        with pytest.raises(ConfigError, match="asked for by name"):
            build()


@pytest.mark.parametrize("option", ["seed", "d_model", "name", "head", "d_output", "n_layers"])
def test_what_is_set_beside_the_options_is_none_of_them(option):
    with pytest.raises(ConfigError, match=f"dt_max, dt_min.*\nTry {option} beside the options"):
        check_layer_options("s4d", {"n_pairs": 4, option: 1})
    check_layer_options("s4d", {"n_pairs": 4, option: 1}, others=(option,))


def test_listing_models_imports_no_torch():
    code = (
        "import sys; from timegrain.models import models; "
        "assert 's4d' in models.names(); assert not {'torch', 'numba'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
