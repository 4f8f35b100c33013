import shutil
import stat
import sys

import numpy as np
import pytest

from timegrain.core.errors import DataError, MissingPackageError
from timegrain.data import load_dataset, make_task
from timegrain.data.catalogue import card

# speaks three samples, of the word, the speed and the voice's last letter, and is silent then
FAKE = """#!{python}
import sys, wave
if "--version" in sys.argv:
    print("eSpeak NG text-to-speech: 9.9 Data at: /somewhere")
    sys.exit()
words = dict(zip(sys.argv[1:-1:2], sys.argv[2:-1:2]))
if words["-v"] == "{refused}":
    print("no such voice", file=sys.stderr)
    sys.exit(1)
samples = [sum(map(ord, sys.argv[-1])), int(words["-s"]), ord(words["-v"][-1]), 0, 0]
with wave.open(words["-w"], "wb") as file:
    file.setnchannels(1); file.setsampwidth(2); file.setframerate(22050)
    file.writeframes(b"".join(s.to_bytes(2, "little") for s in samples))
"""


@pytest.fixture
def fake(tmp_path, monkeypatch):
    def make(refused=""):
        program = tmp_path / "espeak-ng"
        program.write_text(FAKE.format(python=sys.executable, refused=refused))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", str(tmp_path))

    return make


@pytest.fixture
def few(monkeypatch):
    from timegrain.data.sources import espeak

    monkeypatch.setattr(
        espeak, "SPEAKERS", {"train": ("en+m1",), "validation": ("en+f2",), "test": ("en+m3",)}
    )
    monkeypatch.setattr(espeak, "WORDS_A_MINUTE", (130, 190))
    monkeypatch.setattr(espeak, "WORDS", ("zero", "one"))


def test_each_word_is_spoken_by_each_voice_at_each_speed(fake, few):
    fake()
    data = load_dataset("spoken-digits")
    assert (len(data), data.n_train, data.n_validation) == (12, 4, 4)
    assert (data.sequences[3][:, 0] * 32768).tolist() == [sum(map(ord, "one")), 190, ord("1")]
    assert data.ids[3] == "en+m1/190/one"
    assert data.labels.tolist() == [0, 1] * 6
    assert data.groups.tolist() == [1] * 4 + [0] * 4 + [2] * 4
    assert "eSpeak NG text-to-speech: 9.9" in data.notes[0]
    assert (1 / data.dt, data.unit) == (22_050, "s")


def test_a_voice_that_was_replaced_is_told(fake, few, monkeypatch):
    from timegrain.data.sources import espeak

    monkeypatch.setitem(espeak.SPEAKERS, "test", ("en-us+m1",))
    fake()
    with pytest.raises(DataError, match=r"two cases alike, got en\+m1/130/zero and en-us\+m1/130"):
        load_dataset("spoken-digits")


def test_no_speaker_is_in_two_parts():
    from timegrain.data.sources.espeak import SPEAKERS

    speakers = [s for part in SPEAKERS.values() for s in part]
    assert len(set(speakers)) == len(speakers) == 14


def test_without_the_program_the_text_says_how_to_install_it(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not card("spoken-digits").installed
    with pytest.raises(MissingPackageError, match=r"(?s)espeak-ng, which is not on this.*apt-get"):
        load_dataset("spoken-digits")


def test_a_failure_says_what_the_program_said(fake, few):
    fake(refused="en+m3")
    with pytest.raises(DataError, match=r"(?s)espeak-ng failed, got no such voice.*voice en\+m3"):
        load_dataset("spoken-digits")


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not on this machine")
def test_the_program_speaks_the_same_twice(monkeypatch):
    from timegrain.data.sources import espeak

    data = load_dataset("spoken-digits")
    assert len(data) == 420
    task = make_task(data)
    parts = [len(part) for part in (task.train, task.validation, task.test)]
    assert (parts, task.n_classes) == ([270, 60, 90], 10)
    assert min(data.lengths) * data.dt > 0.1
    for part, speakers in espeak.SPEAKERS.items():
        monkeypatch.setitem(espeak.SPEAKERS, part, speakers[:1])
    again = load_dataset("spoken-digits")
    for name, sound in zip(again.ids, again.sequences, strict=True):
        np.testing.assert_array_equal(sound, data.sequences[data.ids.index(name)])
