import shutil

import pytest

from timegrain.core.errors import DataError
from timegrain.data import load_dataset, load_task
from timegrain.data.folders.commands import COMMANDS


def wav_of(folder):
    return (folder / "yes/0a_nohash_0.wav").read_bytes()


def test_clips_are_fractions_of_full_scale_in_published_parts(commands):
    data = load_dataset(commands)
    assert data.ids == (
        "no/0a_nohash_0.wav",
        "yes/0a_nohash_0.wav",
        "yes/0b_nohash_0.wav",
        "bed/0c_nohash_0.wav",
        "no/0c_nohash_1.wav",
    )
    assert data.sequences[1][:, 0].tolist() == [0, 0.5, -1]
    assert (data.n_train, data.n_validation) == (2, 1)
    assert (data.class_names, data.labels.tolist()) == (("bed", "no", "yes"), [1, 2, 2, 0, 1])
    assert (1 / data.dt, data.unit) == (16_000, "s")
    assert data.groups[0] == data.groups[1] != data.groups[2]


def test_it_is_a_task_with_three_parts(commands):
    task = load_task(commands)
    assert [len(p) for p in (task.train, task.validation, task.test)] == [2, 1, 2]
    assert task.train.lengths.tolist() == [4, 3]


def test_a_speaker_in_two_parts_is_noted(commands):
    (commands / "testing_list.txt").write_text("no/0a_nohash_0.wav\n")
    assert "1 of 3 speakers speak in more than one part" in load_dataset(commands).notes


def test_ten_words_alone(commands):
    with pytest.raises(DataError, match=r"lacks up, down, left"):
        load_dataset(f"speech-commands-10:{commands}")
    for word in COMMANDS[2:]:
        (commands / word).mkdir()
        shutil.copy(commands / "yes/0a_nohash_0.wav", commands / word / "0a_nohash_0.wav")
    data = load_dataset(f"speech-commands-10:{commands}")
    assert data.class_names == COMMANDS
    assert len(data) == 12


@pytest.mark.parametrize("name", ["validation_list.txt", "testing_list.txt"])
def test_a_missing_list_is_named(commands, name):
    (commands / name).unlink()
    with pytest.raises(DataError, match=f"lacks {name}"):
        load_dataset(commands)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("yes/0b_nohash_0.wav\nyes/99_nohash_0.wav\n", r"line 2: a clip that is not there"),
        ("yes/0b_nohash_0.wav\nyes/0b_nohash_0.wav\n", r"_list.txt, line 2: .*listed twice"),
        ("no/0c_nohash_1.wav\n", r"testing_list.txt, line 2: a clip that is listed in both lists"),
        ("../outside.txt\n", r"validation_list.txt, line 1: a clip that is not there"),
        ("yes/../../outside.txt\n", r"validation_list.txt, line 1: a clip that is not there"),
        ("0b_nohash_0.wav\n", r"validation_list.txt, line 1: a clip that is not there"),
    ],
)
def test_lists_that_do_not_fit_the_clips(commands, lines, message):
    (commands.parent / "outside.txt").write_text("a file that is there")
    (commands / "validation_list.txt").write_text(lines)
    with pytest.raises(DataError, match=message):
        load_dataset(commands)


def test_nothing_to_test_is_told(commands):
    (commands / "testing_list.txt").write_text("\n")
    with pytest.raises(
        DataError, match=r"one side only, got 4 to train, 1 to validation, 0 to test"
    ):
        load_dataset(commands)


def test_truncated_sound_is_told_with_its_word(commands):
    clip = commands / "no/0a_nohash_0.wav"
    clip.write_bytes(clip.read_bytes()[:-3])
    with pytest.raises(DataError, match=r"no: 0a_nohash_0.wav is truncated, got 5 bytes of sound"):
        load_dataset(commands)


def test_other_sound_is_told(commands, wav):
    clip = commands / "no/0a_nohash_0.wav"
    for samples, words, message in (
        (
            [1, 2],
            {"hz": 8000},
            r"other sound than the rest, got 1 channel\(s\) of 16 bits at 8,000",
        ),
        ([1, 2], {"channels": 2}, r"got 2 channel\(s\)"),
        ([1, 2], {"bits": 8}, r"of 8 bits"),
        ([1], {}, r"no: 0a_nohash_0.wav holds no sound, got 1 samples"),
    ):
        clip.write_bytes(wav(samples, **words))
        with pytest.raises(DataError, match=message):
            load_dataset(commands)
    clip.write_bytes(b"ID3 not sound")
    with pytest.raises(DataError, match=r"no .wav file"):
        load_dataset(commands)


def test_a_file_that_names_no_speaker_is_told(commands):
    (commands / "yes/loud.wav").write_bytes(wav_of(commands))
    with pytest.raises(DataError, match=r"yes holds a file that is no clip, got loud.wav"):
        load_dataset(commands)


def test_a_folder_that_is_no_published_word_is_told(commands):
    shutil.copytree(commands / "yes", commands / "maybe")
    with pytest.raises(DataError, match=r"no words of Speech Commands v0.02, got maybe, expected"):
        load_dataset(commands)


def test_a_clip_longer_than_a_second_is_told(commands, wav):
    clip = commands / "no/0a_nohash_0.wav"
    clip.write_bytes(wav([0] * 16_000))
    assert load_dataset(commands).lengths.max() == 16_000
    clip.write_bytes(wav([0] * 16_001))
    with pytest.raises(DataError, match=r"no: 0a_nohash_0.wav is longer .*16,001 samples"):
        load_dataset(commands)
