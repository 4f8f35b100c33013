from dataclasses import replace

import numpy as np
import pytest

from timegrain.core.errors import ConfigError, UnknownNameError
from timegrain.core.result import read_result
from timegrain.stats.normal import Z95
from timegrain.study import run_study
from timegrain.study.presets.paper_refinement.holding import MARGIN, holdings
from timegrain.study.presets.paper_refinement.settings import PaperRefinementSettings
from timegrain.study.presets.paper_refinement.storage import read_losses
from timegrain.study.presets.paper_refinement.tabulate import pooled, refinement_cells
from timegrain.study.presets.paper_refinement.trajectories import (
    STEPS,
    SYSTEMS,
    nested_noise,
    trajectories,
)
from timegrain.study.presets.paper_refinement.unit import Losses, Unit
from timegrain.study.presets.paper_refinement.words import conclusion

SMALL = {
    "tasks": ("damped", "ou"),
    "models": ("s4d",),
    "taus": (0.5, 1.0, 2.0),
    "seeds": 2,
    "length": 16,
    "trajectories": 32,
    "tested": 16,
    "epochs": 1,
    "d_model": 4,
    "n_layers": 1,
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return tmp_path_factory.mktemp("units")


@pytest.fixture(scope="module")
def found(kept):
    events = []
    result = run_study("paper-refinement", progress=events.append, folder=kept, **SMALL)
    return result, events


def test_every_grid_reads_one_trajectory_and_spans_the_same_time():
    settings = PaperRefinementSettings(length=16, trajectories=16, tested=16)
    for name, dt in STEPS.items():
        seen = trajectories(name, settings)
        assert seen.finest.test.x.shape[1] == 64 and seen.finest.dt == dt / 4
        assert seen.trained.test.x.shape[1] == 16 and seen.trained.dt == dt
        assert (seen.trained.test.lengths == 16).all()
        for part in ("train", "test"):
            fine, coarse = (getattr(t, part) for t in (seen.finest, seen.trained))
            np.testing.assert_array_equal(fine.x[:, ::4], coarse.x)
            np.testing.assert_array_equal(fine.y, coarse.y)


def test_the_noise_is_one_path_however_finely_it_is_read_and_as_large_as_asked():
    coarse = trajectories("vdp", PaperRefinementSettings(taus=(1.0, 2.0), length=16, noise=0.0))
    noisy = trajectories("vdp", PaperRefinementSettings(taus=(1.0, 2.0), length=16, noise=0.5))
    added = (noisy.finest.train.x - coarse.finest.train.x) / 0.5
    fine = nested_noise(np.arange(1024), name="vdp noise train", seed=0, dt=0.025, n=64, memory=0.1)
    # float32 of values of order 1, divided by the size
    np.testing.assert_allclose(added, fine[:, ::4], atol=8 * np.finfo(np.float32).eps)
    # 1024 x 16 values that forget in a step: about 8,000 independent ones, 5 errors of sqrt(2 / n)
    assert fine[:, ::4].var() == pytest.approx(1.0, abs=5 * np.sqrt(2 / 8000))
    assert SYSTEMS["ou"].rough
    quiet, loud = (
        trajectories("ou", PaperRefinementSettings(length=16, noise=size)) for size in (0.0, 0.5)
    )
    np.testing.assert_array_equal(quiet.finest.test.x, loud.finest.test.x)


def test_the_study_scores_every_network_at_every_step_told_and_not(found):
    result, events = found
    assert len(result.rows()) == len(result.scores) == 2 * 1 * 3 * 2
    assert [e.label for e in events if not e.detail] == [
        f"s4d on {task}, seed {seed}" for task in SMALL["tasks"] for seed in (0, 1)
    ]
    for task in SMALL["tasks"]:
        told, untold = (result.row(task, "s4d", tau=1.0, told=t) for t in (True, False))
        assert replace(told, told=False) == untold and told.change is None
        for tau in (0.5, 2.0):
            told, untold = (result.row(task, "s4d", tau=tau, told=t) for t in (True, False))
            assert told.score != untold.score
            assert told.change == pytest.approx(
                told.score - result.row(task, "s4d", tau=1.0).score, abs=1e-12
            )
            assert told.score == pytest.approx(np.mean(told.by_seed), abs=1e-12)
            assert told.low < told.score < told.high
    assert read_result(result.to_json()) == result
    assert result.seconds > 0


def test_a_score_is_that_of_evaluate(found, kept):
    from timegrain.models.build import build_model
    from timegrain.training import evaluate, train

    settings = PaperRefinementSettings(**SMALL)
    seen = trajectories("ou", settings)
    model = build_model("s4d", d_input=1, d_output=1, d_model=4, n_layers=1, seed=1)
    train(model, seen.trained, epochs=1, seed=1)
    for tau, stride in ((0.5, 1), (2.0, 4)):
        for told in (True, False):
            here = evaluate(model, seen.finest, stride=stride, tau=tau if told else 1.0)
            row = found[0].row("ou", "s4d", tau=tau, told=told)
            assert row.by_seed[1] == pytest.approx(here.score, abs=1e-9)


def test_a_stopped_study_goes_on_and_trains_nothing_again(found, kept, monkeypatch):
    (kept / "ou-s4d-1.json").write_text("{")  # damaged: as good as none
    trained = []
    from timegrain.study.presets.paper_refinement import measure

    once = measure.carry_out
    monkeypatch.setattr(
        measure, "carry_out", lambda unit, *a: trained.append(unit.name) or once(unit, *a)
    )
    again = run_study("paper-refinement", folder=kept, **SMALL)
    assert trained == ["ou-s4d-1"]
    assert again.scores == found[0].scores and again.seconds != found[0].seconds
    unit = Unit(task="ou", model="s4d", seed=0)
    assert read_losses(unit, PaperRefinementSettings(folder=kept, **SMALL)) is not None
    other = PaperRefinementSettings(folder=kept, **SMALL | {"epochs": 2})
    assert read_losses(unit, other) is None
    assert read_losses(unit, PaperRefinementSettings(**SMALL)) is None


def test_the_interval_is_over_trajectories_and_networks():
    from scipy.special import stdtrit

    random = np.random.default_rng(0)
    below = np.ones(400)
    # one network: the mean of the cases, Student's interval
    cases = random.standard_normal(400)
    value, low, high = pooled(cases[None], below)
    half = stdtrit(399, 0.975) * cases.std(ddof=1) / 20
    assert (value, low, high) == pytest.approx(
        (cases.mean(), cases.mean() - half, cases.mean() + half)
    )
    # trajectories that are all alike: the three networks alone, two degrees of freedom
    seeds = np.array([0.1, 0.2, 0.6])
    value, low, high = pooled(np.repeat(seeds[:, None], 400, axis=1), below)
    half = stdtrit(2, 0.975) * seeds.std(ddof=1) / np.sqrt(3)
    assert (value, low, high) == pytest.approx((0.3, 0.3 - half, 0.3 + half))
    assert stdtrit(2, 0.975) > 2 * Z95
    assert pooled(np.ones((2, 1)), np.ones(1)) == (1.0, None, None)


def test_the_interval_covers_in_simulations_of_networks_and_trajectories():
    random = np.random.default_rng(1)
    inside, runs, below = 0, 400, np.ones(64)
    for _ in range(runs):
        above = random.standard_normal(64) + 0.3 * random.standard_normal((3, 1))
        _, low, high = pooled(above + 0.5 * random.standard_normal((3, 64)), below)
        inside += low <= 0 <= high
    # .95 less three errors of a share of 400; the interval may be too wide, never too narrow
    assert inside / runs >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / runs)


def _cells(losses, told):
    """Return cells at tau 1/4, 1/2, 1, 2 with these mean losses, that differ between cases."""
    noise = 0.02 * np.random.default_rng(0).standard_normal((4, 100))  # changes are .003 unsure
    lost = np.array(losses)[:, None] + noise - noise.mean(axis=1, keepdims=True)
    one = Losses(told=lost, untold=lost, possible=np.ones(100), trivial=0.0, seconds=1.0)
    cells = refinement_cells("ou", "s4d", [one, one], (0.25, 0.5, 1.0, 2.0))
    return [c for c in cells if c.told == told]


@pytest.mark.parametrize(
    ("losses", "verdict", "words"),
    [
        ((0.2, 0.2, 0.2, 0.3), "holds", "is flat (to 0.02) or improves on"),
        ((0.1, 0.15, 0.2, 0.3), "holds", "is flat (to 0.02) or improves on"),
        ((0.6, 0.4, 0.2, 0.3), "falls", "falls on ornstein"),
        ((0.2, 0.4, 0.2, 0.3), "falls", "falls on ornstein"),
        ((0.2 + 0.9 * MARGIN, 0.2, 0.2, 0.3), "unclear", "may fall by more than 0.02 on"),
        ((1.1, 1.1, 1.1, 1.1), "unlearned", "has not learned enough to tell on"),
    ],
)
def test_the_conclusion_follows_the_numbers(found, losses, verdict, words):
    cells = [c for told in (True, False) for c in _cells(losses, told)]
    systems = found[0].systems[1:]
    assert systems[0].name == "ou"
    result = replace(found[0], systems=systems, scores=tuple(cells))
    assert [h.verdict for h in holdings(result, "s4d", told=True)] == [verdict]
    text = conclusion(result).lower()
    assert text.startswith(f"told its step, as tau falls from 1 to 1/4, s4d {words}")
    change = losses[2] - losses[3]
    shown = f"{change:+.3f}" if change else "0.000"
    assert text.endswith(f"told tau 2, r² changes: that of s4d by {shown}.")


def test_networks_that_all_fall_by_unlike_amounts_are_not_said_to_hold(found):
    random = np.random.default_rng(0)
    # three networks lose .05, .1 and 2 more at tau 1/2: two degrees of freedom tell nothing
    losses = [
        Losses(
            told=np.array([[0.2 + more], [0.2]]) + 0.01 * random.standard_normal((2, 100)),
            untold=np.full((2, 100), 0.2),
            possible=np.ones(100),
            trivial=0.0,
            seconds=1.0,
        )
        for more in (0.05, 0.1, 2.0)
    ]
    cells = refinement_cells("ou", "s4d", losses, (0.5, 1.0))
    result = replace(found[0], systems=found[0].systems[1:], scores=tuple(cells))
    assert result.row("ou", "s4d", tau=0.5).change_high > 0
    assert [h.verdict for h in holdings(result, "s4d", told=True)] == ["falls in each"]
    assert "S4D falls in each network, unevenly, on" in conclusion(result)


def test_coarser_grids_alone_are_no_refinement(found):
    kept = tuple(c for c in found[0].scores if c.tau >= 1)
    text = conclusion(replace(found[0], scores=kept))
    assert "falls" not in text and text.startswith("Told tau 2, R² changes: that of S4D by")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"tasks": ("lorenz",)}, "no such tasks"),
        ({"tasks": "vdp"}, "tasks"),
        ({"models": ("s4d", "s4d")}, "each once"),
        ({"taus": (0.5, 2.0)}, "powers of two"),
        ({"taus": (1.0,)}, "powers of two"),
        ({"taus": (0.3, 1.0)}, "powers of two"),
        ({"taus": (1.0, 0.5)}, "powers of two"),
        ({"length": 18}, "spans the same time"),
        ({"seeds": 0}, "seeds"),
        ({"seed": -1}, "seed"),
        ({"epochs": 1.5}, "epochs"),
        ({"noise": -0.1}, "noise"),
        ({"systems": 6}, "cannot be told systems"),
    ],
)
def test_settings_outside_their_domain_are_errors(given, words):
    with pytest.raises(ConfigError, match=words):
        run_study("paper-refinement", **given)


def test_a_model_that_nobody_knows_is_named_before_anything_is_trained():
    events = []
    with pytest.raises(UnknownNameError, match="s7"):
        run_study("paper-refinement", progress=events.append, **SMALL | {"models": ("s4d", "s7")})
    assert not events
