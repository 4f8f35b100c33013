"""What a process does when another does not come."""

import socket
from datetime import timedelta

import pytest

from timegrain.training.distributed import team


@pytest.mark.parametrize("rank", [0, 1])
def test_a_process_that_does_not_come_is_said(monkeypatch, rank):
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    said = {"RANK": rank, "WORLD_SIZE": 2, "MASTER_ADDR": "localhost", "MASTER_PORT": port}
    for name, value in said.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setattr(team, "ARRIVAL", timedelta(seconds=1))
    with pytest.raises(team.TeamError, match=rf"within 1 s, got .* in process {rank} of 2"):
        team.Team.of_environment()
