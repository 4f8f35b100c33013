import paper_refinement

SMALL = {
    "tasks": ("damped", "ou"),
    "models": ("s4d",),
    "taus": (0.5, 1.0),
    "length": 8,
    "trajectories": 16,
    "tested": 16,
    "epochs": 1,
    "d_model": 2,
    "n_layers": 1,
}


def test_the_page_and_its_figures_are_of_what_was_measured(tmp_path, monkeypatch):
    from timegrain.study.presets.paper_refinement.settings import PaperRefinementSettings

    for name, value in SMALL.items():
        monkeypatch.setitem(PaperRefinementSettings.__init__.__kwdefaults__, name, value)
    units, output = tmp_path / "units", tmp_path / "out"
    asked = ["--seeds", "2", "--units", str(units), "--output", str(output)]
    paper_refinement.main(asked)
    assert len(list(units.iterdir())) == 2 * 2
    assert {p.name for p in output.iterdir()} == {
        "paper-refinement.md",
        "paper-refinement.svg",
        "paper-refinement-column.svg",
    }
    text = (output / "paper-refinement.md").read_text()
    assert "--seeds 2 --seed 0" in text and "4 trainings" in text
    assert text.count("| damped harmonic oscillators | S4D, not told |") == 2
    assert "omega in 0.5 to 2, zeta in 0.05 to 0.2; 0.1" in text
    assert "16 trajectories of 8 samples" in text and "{" not in text
