"""Every public name of every package loads."""

import importlib
import importlib.util
import inspect

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


@pytest.mark.parametrize("package", PACKAGES)
def test_no_public_name_is_hidden_by_its_submodule(package):
    # importing a submodule binds it in the package, so an equal public name would be lost
    module = importlib.import_module(package)
    for name in module.__all__:
        value = getattr(module, name)
        if not inspect.ismodule(value):
            assert importlib.util.find_spec(f"{package}.{name}") is None, name
