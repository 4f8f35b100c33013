"""Folders in published layouts, made by hand, with a few cases each."""

import struct
from pathlib import Path

import numpy as np
import pytest


def _wav(samples, *, hz=16_000, channels=1, bits=16):
    """Return the bytes of a `.wav` file, its header written field by field."""
    kind = {8: "B", 16: "h", 32: "i"}[bits]
    sound = struct.pack(f"<{len(samples)}{kind}", *samples)
    frame = channels * bits // 8
    form = struct.pack("<HHIIHH", 1, channels, hz, hz * frame, frame, bits)
    chunks = b"fmt " + struct.pack("<I", len(form)) + form
    chunks += b"data" + struct.pack("<I", len(sound)) + sound
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


@pytest.fixture
def wav():
    return _wav


@pytest.fixture
def ucr_ts(tmp_path) -> Path:
    folder = tmp_path / "Tiny"
    folder.mkdir()
    head = "@problemName Tiny\n@timestamps false\n@univariate true\n@classLabel true a b\n@data\n"
    (folder / "Tiny_TRAIN.ts").write_text(head + "1,2,3:b\n4,5,6:a\n")
    (folder / "Tiny_TEST.ts").write_text(head + "-1,?,1e1:b\n")
    return folder


@pytest.fixture
def cifar(tmp_path) -> Path:
    """Two images a batch: image i of class i, its red i, green 100 + i, blue its pixel's column."""
    folder = tmp_path / "cifar-10-batches-bin"
    folder.mkdir()
    column = np.tile(np.arange(32, dtype=np.uint8), 32)
    names = [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]
    for batch, name in enumerate(names):
        records = b""
        for i in (2 * batch, 2 * batch + 1):
            plain = [np.full(1024, value, dtype=np.uint8) for value in (i, 100 + i)]
            records += bytes([i % 10]) + plain[0].tobytes() + plain[1].tobytes() + column.tobytes()
        (folder / name).write_bytes(records)
    words = "airplane automobile bird cat deer dog frog horse ship truck"
    (folder / "batches.meta.txt").write_text("\n".join(words.split()) + "\n\n")
    return folder


@pytest.fixture
def imdb(tmp_path) -> Path:
    folder = tmp_path / "aclImdb"
    texts = {
        "train/neg/0_3.txt": b"bad film",
        "train/neg/10_1.txt": b"worse",
        "train/neg/2_4.txt": b"no<br />",
        "train/pos/0_9.txt": "très bon".encode(),
        "test/neg/0_2.txt": b"dull",
        "test/pos/0_10.txt": b"good " * 1000,
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)
    (folder / "train" / "unsup").mkdir()
    (folder / "train" / "unsup" / "0_0.txt").write_bytes(b"unlabelled")
    return folder


@pytest.fixture
def aan(tmp_path) -> Path:
    folder = tmp_path / "tsv_data"
    folder.mkdir()
    lines = {
        "train": ["1.0\tP1\tP2\tb'ab'\tb'c'", "0.0\tP1\tP3\tb'ab'\tb'd \"q'"],
        "eval": ["0.0\tP4\tP5\tb'e'\tb'f'"],
        "test": ["1.0\tP6\tP7\tb'g'\t" + "h" * 5000],
    }
    for part, rows in lines.items():
        (folder / f"new_aan_pairs.{part}.tsv").write_text("".join(f"{r}\n" for r in rows))
    return folder


@pytest.fixture
def commands(tmp_path) -> Path:
    folder = tmp_path / "speech_commands_v0.02"
    clips = {
        "yes/0a_nohash_0.wav": [0, 16384, -32768],
        "yes/0b_nohash_0.wav": [1, 2],
        "no/0a_nohash_0.wav": [3, 4, 5, 6],
        "no/0c_nohash_1.wav": [7, 8],
        "bed/0c_nohash_0.wav": [9, 10],
    }
    for name, samples in clips.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(_wav(samples))
    noise = folder / "_background_noise_"
    noise.mkdir()
    (noise / "white_noise.wav").write_bytes(_wav([0] * 9))
    (folder / "validation_list.txt").write_text("yes/0b_nohash_0.wav\n")
    (folder / "testing_list.txt").write_text("bed/0c_nohash_0.wav\nno/0c_nohash_1.wav\n")
    return folder
