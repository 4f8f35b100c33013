import os
import subprocess
import sys

CODE = """
import numpy as np
import timegrain.kernels.switched_off as switch
before = switch.switched_off()
from timegrain import task_continuity
found = task_continuity(np.arange(12.0)[None] ** 2, strides=(2,))
print(before, switch.switched_off(), found.continuity > 0.9)
"""


def test_the_variable_is_read_before_numba_is_loaded_and_after():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["True"] * 3
