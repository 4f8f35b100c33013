"""Every public name of every package loads."""

import importlib
import importlib.util
import inspect
import subprocess
import sys

import pytest

FOLDERS = (
    "core",
    "kernels",
    "resample",
    "models",
    "data",
    "continuity",
    "training",
    "checks",
    "study",
    "advice",
    "report",
)
PACKAGES = [
    "timegrain",
    *(f"timegrain.{f}" for f in FOLDERS),
    "timegrain.training.distributed",
]


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_load(package):
    module = importlib.import_module(package)
    assert module.__all__
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_packages_are_reachable_from_the_top_without_importing_them():
    code = (
        "import sys, timegrain as tg\n"
        "assert 'timegrain.training' not in sys.modules\n"
        f"for name in {FOLDERS}:\n"
        "    assert getattr(tg, name).__name__ == f'timegrain.{name}'\n"
        "    assert name in dir(tg)\n"
        "assert 'torch' not in sys.modules\n"
        "assert tg.training.load_checkpoint is tg.load_checkpoint\n"
        "assert tg.models.huggingface.load.__name__ == 'load'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize(
    "name",
    [
        "Checkpoint",
        "baseline_score",
        "check_model",
        "dataset_continuity",
        "load_checkpoint",
        "save_checkpoint",
    ],
)
def test_what_people_look_for_is_at_the_top(name):
    import timegrain

    assert name in timegrain.__all__
    assert getattr(timegrain, name).__name__ == name


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
