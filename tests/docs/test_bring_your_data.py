"""The page on one's own data shows what is printed."""

import re
import shlex
import wave
from pathlib import Path

import numpy as np
import pytest

from timegrain.cli.main import run

PAGE = (Path(__file__).parents[2] / "docs" / "bring-your-data.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n\$ timegrain (.*?)\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.fixture(scope="module")
def folder(own_files, tmp_path_factory):
    made = tmp_path_factory.mktemp("own")
    own_files["write_movement"](made / "movement.csv")
    own_files["write_weather"](made / "weather.csv")
    own_files["write_ecg"](made / "ecg.edf")
    (made / "series.csv").write_text("name,label,0,1,2,3\na,up,1,2,3,4\nb,down,4,3,2,\n")
    (code,) = re.findall(r"```python\n(# clips.py\n.*?)```", PAGE, flags=re.DOTALL)
    (made / "clips.py").write_text(code)
    _write_clips(made / "clips")
    return made


def _write_clips(folder):
    """Two bells and two buzzers of unequal lengths and rates."""
    for i, (kind, tone) in enumerate([("bell", 600), ("bell", 620), ("buzz", 110), ("buzz", 115)]):
        hz = 8000 if i % 2 else 16000
        samples = 0.5 * np.sin(2 * np.pi * tone * np.arange(hz + 800 * i) / hz)
        path = folder / kind / f"{i}.wav"
        path.parent.mkdir(parents=True, exist_ok=True)
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(hz)
            file.writeframes((samples * 32767).astype("<i2").tobytes())


@pytest.mark.parametrize(("words", "shown"), BLOCKS, ids=[w for w, _ in BLOCKS])
def test_commands_print_what_is_shown(words, shown, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    status = run(shlex.split(words))
    printed = capsys.readouterr()
    assert status == (2 if shown.startswith("error: ") else 0), printed.err
    text = printed.err if status else printed.out
    rest = text
    for part in shown.split("...\n"):
        assert part.strip("\n") in rest
        rest = rest[rest.index(part.strip("\n")) :]
    if "...\n" not in shown:
        assert text.strip("\n") == shown.strip("\n")


def test_the_page_goes_from_a_file_to_advice():
    assert [shlex.split(w)[0] for w, _ in BLOCKS[:3]] == ["data", "data", "advise"]
    assert "is enough for the target activity" in " ".join(BLOCKS[2][1].split())


def test_indented_commands_are_accepted(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    commands = re.findall(r"^    timegrain (.*)$", PAGE, flags=re.MULTILINE)
    assert commands
    for words in commands:
        assert run([*shlex.split(words), "--dry-run"]) == 0


def test_python_blocks_run(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    blocks = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    (block,) = [b for b in blocks if not b.startswith("# clips.py")]
    exec(compile(block, "bring-your-data.md", "exec"), {})
    assert "the clock goes back once" in capsys.readouterr().out


def test_sounds_get_their_labels_from_a_function(folder, monkeypatch):
    from timegrain.data import load_dataset

    monkeypatch.chdir(folder)
    data = load_dataset("clips:clips")
    assert data.class_names == ("bell", "buzz") and data.labels.tolist() == [0, 0, 1, 1]
    assert data.dt == 1 / 4000 and data.lengths.tolist() == [4000, 4400, 4400, 5200]


def test_every_finding_planted_in_the_movement_is_found(folder):
    from timegrain.data import load_dataset

    roles = {"id": "person", "time": "time", "target": "activity"}
    data = load_dataset(folder / "movement.csv", **roles)
    audits = {a.recording: a for a in data.audits}
    assert len(audits) == 77 and audits["p33"].n_resets == 1
    assert sum(a.n_resets for a in audits.values()) == 1
    # one pair of equal times in every twentieth person, which leaves a gap of one sample
    assert sum(a.n_duplicates for a in audits.values()) == 4
    gaps = {name for name, a in audits.items() if a.n_gaps}
    assert gaps == {f"p{p:02d}" for p in range(77) if p % 9 == 0 or p % 20 == 0}
    assert data.labels.tolist() == [data.labels[int(i[1:]) % 3] for i in data.ids]
    # the halves of p33 are one group
    assert len(data) == 78 and data.groups[33] == data.groups[34]
