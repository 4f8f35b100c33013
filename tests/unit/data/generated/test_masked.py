from dataclasses import replace

import numpy as np
import pytest

from timegrain.core.errors import ConfigError
from timegrain.data.generated.dataset import generated_dataset


def test_answers_at_some_samples_only_are_made_but_not_loaded(echo):
    def make(index, *, seed, **options):
        made = echo.make(index, seed=seed, **options)
        asked = np.arange(made.labels.shape[1]) % 2 == 1
        return replace(made, labels=np.where(asked, made.labels, -1))

    masked = replace(echo, make=make).turned(each=True)
    assert set(masked.cases(np.arange(3)).labels[:, 0].tolist()) == {-1}
    with pytest.raises(ConfigError, match="asks for answers at some samples only"):
        generated_dataset(masked)
