import json

from timegrain.cli.main import run
from timegrain.core.output import read_output

WORDS = ("--d-model", "2", "--length", "16", "--taus", "1,0.5")


def test_a_bound_is_told_and_stored(tmp_path, capsys):
    words = ("--options", "n_pairs=2", "--slope", "5", "--json", "--output", str(tmp_path / "out"))
    assert run(["certify", "s4d", *WORDS, *words]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["schema"], told["name"], told["outcome"]) == ("certificate", "s4d", "CERTIFIED")
    result = read_output(tmp_path / "out").result
    assert result.to_dict() == told
    assert 0 < result.bound(0.5) < result.bound(1.0)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "What is proved of the error?" in page
    assert "sum of five sines per channel" in result.to_json()


def test_without_a_slope_the_bound_is_conditional_and_a_module_can_be_named(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "my_block.py").write_text(
        "from timegrain.models import build_layer\n"
        "def block():\n"
        "    return build_layer('mamba', d_model=2, n_state=2, skip=False)\n"
    )
    monkeypatch.chdir(tmp_path)
    words = (*WORDS[2:], "--signal", "c2", "--module")
    assert run(["certify", "my_block:block", *words, "ssm"]) == 0
    out = capsys.readouterr().out
    assert "certificate: my_block:block.ssm" in out
    assert "CONDITIONAL" in out
    assert run(["certify", "my_block:block", *words, "sms"]) == 2
    assert "no module 'sms' in Mamba" in capsys.readouterr().err


def test_what_has_no_theorem_is_refused(capsys):
    assert run(["certify", "gru", *WORDS]) == 2
    assert "no theorem for this layer" in capsys.readouterr().err
    assert run(["certify", "s4d", *WORDS, "--signal", "brownian"]) == 2
    assert "a continuous function of time" in capsys.readouterr().err
    assert run(["certify", "s4d", *WORDS, "--signal", "sinus"]) == 2
    assert "no family of signals" in capsys.readouterr().err
    assert run(["certify", "s4d", *WORDS, "--module", "x"]) == 2
    assert "no module 'x' in S4D" in capsys.readouterr().err


def test_a_layer_in_a_registered_one_is_named_as_the_error_says(capsys):
    assert run(["certify", "mamba", *WORDS]) == 2
    assert "Try a layer in it by itself: --module ssm." in capsys.readouterr().err
    assert run(["certify", "mamba", *WORDS, "--module", "ssm"]) == 0
    assert "certificate: mamba.ssm" in capsys.readouterr().out
