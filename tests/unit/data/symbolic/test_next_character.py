import re

import numpy as np

from timegrain.data.generated import case_numbers
from timegrain.data.sources.python_source import library_modules, module_text
from timegrain.data.symbolic.next_character import PYTHON_NEXT, VOCABULARY, part_of_module


def text_of(tokens):
    return "".join(VOCABULARY[token] for token in tokens)


def test_cases_stand_in_the_files_of_their_part_and_in_no_others():
    texts = {0: [], 1: [], 2: []}
    for path in library_modules():
        known = re.sub(r"[^\t\n -~]", VOCABULARY[-1], module_text(path))
        texts[part_of_module(path.name)].append(known)
    for part, name in enumerate(("train", "validation", "test")):
        made = PYTHON_NEXT.cases(case_numbers(name, 40))
        for tokens, label in zip(made.sequences, made.labels, strict=True):
            stretch = text_of(tokens) + VOCABULARY[label]
            assert any(stretch in text for text in texts[part])
    # about eight files in ten, one and one
    shares = np.array([len(found) for found in texts.values()]) / len(library_modules())
    assert np.abs(shares - [0.8, 0.1, 0.1]).max() < 0.12


def test_stretches_of_a_file_are_drawn_alike():
    made = PYTHON_NEXT.turned(length=64).cases(case_numbers("train", 500))
    assert len({tokens.tobytes() for tokens in made.sequences}) > 490
