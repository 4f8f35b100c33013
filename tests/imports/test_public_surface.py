"""Every public name of every package loads."""

import importlib

import pytest

FOLDERS = (
    "core",
    "kernels",
    "resample",
    "models",
    "data",
    "continuity",
    "training",
    "study",
    "advice",
    "report",
)
PACKAGES = ["timegrain", *(f"timegrain.{f}" for f in FOLDERS)]


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_load(package):
    module = importlib.import_module(package)
    assert module.__all__
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_unknown_names_are_attribute_errors():
    import timegrain

    with pytest.raises(AttributeError, match="no attribute 'task_continuty'"):
        timegrain.task_continuty  # noqa: B018
