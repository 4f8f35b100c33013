import dataclasses

import numpy as np
import pytest
import torch

from timegrain.continuity import selectivity
from timegrain.continuity.selective.summary import conclusions
from timegrain.core import read_result
from timegrain.core.errors import ConfigError, ModelError
from timegrain.models import build_layer

SMALL = {"length": 16, "levels": 5, "seeds": 2, "amplitudes": (1.0, 10.0)}


@pytest.fixture(scope="module")
def s6():
    return selectivity("s6", d_model=4, options={"dt_min": 0.05, "dt_max": 0.3}, **SMALL)


@pytest.mark.parametrize("rule", ["euler_b", "zoh"])
def test_without_a_selected_step_there_is_no_amplitude_law(s6, rule):
    # Differences of 1e-3 and more of outputs with errors of about 1e-14: 1e-11 relative.
    for held in ("delta", "all"):
        row = s6.law(rule, held)
        assert row.theory == 0.0
        assert abs(row.exponent) < 1e-9
        errors = [e.error for e in s6.errors if (e.discretization, e.held) == (rule, held)]
        np.testing.assert_allclose(errors, errors[0], rtol=1e-9)
        memory = [e.memory for e in s6.errors if (e.discretization, e.held) == (rule, held)]
        np.testing.assert_allclose(memory, memory[0], rtol=1e-9)


def test_the_step_carries_the_law_and_the_conclusion_says_so(s6):
    whole = s6.law("euler_b", "nothing")
    assert whole.exponent > 0.05
    assert whole.theory is None
    assert (
        "and Delta carries it: of the exponent, each leaves when held: Delta 0 %"
        in (conclusions(s6)[0])
    )
    assert any("As theory says" in text for text in conclusions(s6))


def test_the_conclusion_follows_the_numbers(s6):
    def told(**exponents):
        rows = [
            dataclasses.replace(r, exponent=exponents.get(r.held, r.exponent))
            for r in s6.attribution
            if r.discretization == "euler_b"
        ]
        return conclusions(dataclasses.replace(s6, attribution=tuple(rows)))

    assert "B carries it" in told(nothing=0.5, delta=0.45, B=0.1, C=0.4)[0]
    assert "no part alone" in told(nothing=0.5, delta=0.4, B=0.4, C=0.4)[0]
    assert "does not depend" in told(nothing=0.01)[0]
    assert "B and C each carry it" in told(nothing=0.5, delta=0.45, B=0.1, C=0.1)[0]
    assert "off by" in told(delta=0.2)[-1]


def test_what_an_error_owes_to_a_part_is_told_at_the_largest_amplitude(s6):
    def told(**errors):
        rows = [dataclasses.replace(e, error=errors.get(e.held, e.error)) for e in s6.errors]
        return [c for c in conclusions(dataclasses.replace(s6, errors=tuple(rows))) if "tau 1" in c]

    assert "Delta costs most of it" in told(nothing=2.0, delta=0.5, B=1.9, C=3.0)[0]
    assert "no part alone costs half" in told(nothing=2.0, delta=1.5, B=1.9, C=3.0)[1]


def test_the_model_s_own_rule_comes_first():
    result = selectivity(
        "s6", d_model=2, options={"discretization": "zoh"}, discretizations=("euler_b",), **SMALL
    )
    assert result.discretizations == ("zoh", "euler_b")
    assert result.own_discretization == "zoh"


def test_distributions_are_those_of_a_layer_that_does_not_select_its_step():
    layer = build_layer("s6", d_model=3, n_state=2, seed=0, skip=False).double()
    steps = torch.tensor([0.01, 0.1, 0.8], dtype=torch.float64)
    with torch.no_grad():
        layer.dt_proj.weight.zero_()
        layer.dt_proj.bias.copy_(torch.log(torch.expm1(steps)))
        layer.A_log.copy_(torch.tensor([1.0, 2.0]).log())
    result = selectivity(layer, dt=0.5, **SMALL)
    rows = {(r.quantity, r.amplitude): r for r in result.distributions}
    stiffness = np.outer(steps, [1.0, 2.0])
    for amplitude in (1.0, 10.0):
        assert rows["swing", amplitude].high == pytest.approx(1.0)
        assert rows["delta", amplitude].median == pytest.approx(0.1)
        stiff = rows["stiffness", amplitude]
        # one value of six is above 1; percentiles of 16 equal copies of each lie on copies
        assert stiff.above_one == pytest.approx(1 / 6)
        assert stiff.high == pytest.approx(stiffness.max())
        assert stiff.low == pytest.approx(stiffness.min())
        assert rows["memory", amplitude].high == pytest.approx(0.5 / stiffness.min())
    assert [c.median for c in result.channels] == pytest.approx([0.01, 0.1, 0.8])


def test_a_block_in_a_network_has_no_theory_but_rows():
    result = selectivity(
        "mamba", d_model=4, scope="network", d_input=2, discretizations=("zoh",), **SMALL
    )
    assert result.layers == ("blocks.0.mixer.ssm", "blocks.1.mixer.ssm")
    assert {r.theory for r in result.attribution} == {None}
    assert not any("theory" in text for text in conclusions(result))
    assert "of 2 selective layers" in repr(result)


@pytest.mark.parametrize("kind", ["Mamba", "FalconMamba"])
def test_a_mamba_of_transformers_is_read(kind):
    transformers = pytest.importorskip("transformers")
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=11, hidden_size=8, num_hidden_layers=2, state_size=4
    )
    torch.manual_seed(0)
    model = getattr(transformers, f"{kind}Model")(config)
    result = selectivity(model, discretizations=("euler_b",), **SMALL)
    assert result.layers == ("blocks.0.mixer.ssm", "blocks.1.mixer.ssm")
    assert "in the place of their embeddings" in result.notes[0]
    assert result.own_discretization == "euler_b"


def test_it_stores_and_prints(s6):
    assert read_result(s6.to_json()) == s6
    assert len({tuple(row) for row in s6.rows()}) == 1  # one table
    assert s6.to_arrow().num_rows == len(s6.rows())
    text = repr(s6)
    assert "conclusion" in text and "stiffness" in text


def test_what_cannot_be_looked_at_is_refused():
    with pytest.raises(ModelError, match="selects nothing"):
        selectivity(torch.nn.Linear(2, 2))
    with pytest.raises(ModelError, match="selects nothing"):
        selectivity("s4d", d_model=2)
    with pytest.raises(ModelError, match="a function"):
        selectivity(lambda x: x)
    with pytest.raises(ConfigError, match="discretisation"):
        selectivity("s6", discretizations=("foh",))


def test_an_adapter_that_changes_nothing_is_read_and_another_is_named():
    from timegrain import ModelAdapter
    from timegrain.continuity.selective.readable import readable

    inner = build_layer("s6", d_model=2, n_state=2, seed=0)
    ours, _ = readable(ModelAdapter(inner, d_input=2))
    assert type(ours) is type(inner)
    with pytest.raises(ModelError, match=r"calls it in another way[\s\S]*the adapter's model"):
        readable(ModelAdapter(inner, tau=None))
