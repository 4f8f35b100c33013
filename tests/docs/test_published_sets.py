"""The page on published sets names every layout, and what it says of folders is so."""

import re
from pathlib import Path

from timegrain.data.folders import cifar, commands, retrieval, reviews
from timegrain.data.folders.layouts import layouts, named_layout
from timegrain.data.sources import espeak

PAGE = (Path(__file__).parents[2] / "docs" / "published-sets.md").read_text()


def test_the_table_has_every_layout():
    listed = re.findall(r"^\| `([a-z0-9-]+)` \|", PAGE, flags=re.MULTILINE)
    assert sorted(listed) == layouts.names()


def test_the_commands_name_layouts_and_folders():
    typed = re.findall(r"^    timegrain (?:data|train s4d) (\S+)", PAGE, flags=re.MULTILINE)
    assert [named_layout(text) and named_layout(text)[0] for text in typed] == [
        None,
        "imdb",
        "cifar10-gray",
    ]


def test_names_of_files_and_lengths_are_those_that_are_read():
    needed = [cifar.BATCHES[0], cifar.BATCHES[-1], cifar.TEST_BATCH, *commands.LISTS.values()]
    for name in [*needed, "new_aan_pairs.train.tsv", *reviews.PARTS, *reviews.CLASSES]:
        assert f"`{name}`" in PAGE
    for number in (cifar.PIXELS, reviews.LONGEST, retrieval.LONGEST, espeak.HZ):
        assert f"{number:,}" in PAGE
    voices = sum(map(len, espeak.SPEAKERS.values()))
    assert f"in {voices} voices" in PAGE
    assert f"{voices * len(espeak.WORDS) * len(espeak.WORDS_A_MINUTE)} clips" in PAGE
