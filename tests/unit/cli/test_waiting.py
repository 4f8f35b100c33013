import os
import subprocess
import sys

import pytest

from timegrain.cli.waiting import wait_briefly


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"GOMP_SPINCOUNT": "3000"}),
        ({"GOMP_SPINCOUNT": "7"}, {"GOMP_SPINCOUNT": "7"}),
        ({"OMP_WAIT_POLICY": "active"}, {"OMP_WAIT_POLICY": "active"}),
    ],
)
def test_what_the_user_has_set_stays(given, expected):
    wait_briefly(given)
    assert given == expected


@pytest.mark.skipif(sys.platform != "linux", reason="torch uses GNU OpenMP on Linux only")
def test_the_command_sets_it_before_torch_reads_it():
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_"))}
    words = ["train", "gru", "ItalyPowerDemand", "--dry-run"]
    done = subprocess.run(
        [sys.executable, "-m", "timegrain", *words],
        env=clean | {"OMP_DISPLAY_ENV": "VERBOSE"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "GOMP_SPINCOUNT = '3000'" in done.stderr
