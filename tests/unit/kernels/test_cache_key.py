import importlib
import importlib.util
import inspect
import pkgutil

from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic

import timegrain
from timegrain.kernels.cache_key import sources
from timegrain.models.baseline import convolutions


def module_at(path, text):
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_cache_key_changes_with_a_source(tmp_path):
    first = sources(module_at(tmp_path / "a.py", "x = 1"))
    again = sources(module_at(tmp_path / "b.py", "x = 1"))
    other = sources(module_at(tmp_path / "c.py", "x = 2"))
    assert first.dtype == again.dtype != other.dtype


def test_the_cache_key_changes_with_any_file_of_a_package(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, text in ((first, "x = 1"), (second, "x = 2")):
        (folder / "inner").mkdir(parents=True)
        (folder / "inner/part.py").write_text(text)
    keys = []
    for folder in (first, second):
        package = module_at(folder / "__init__.py", "")
        package.__path__ = [str(folder)]
        keys.append(sources(package).dtype)
    assert keys[0] != keys[1]


def kept():
    """All compiled functions that are kept on disk."""
    modules = [convolutions]
    for info in pkgutil.walk_packages(timegrain.__path__, "timegrain."):
        if info.name.endswith(".numba_"):
            modules.append(importlib.import_module(info.name))
    for module in modules:
        for value in vars(module).values():
            own = isinstance(value, Dispatcher) and value.py_func.__module__ == module.__name__
            if own and not isinstance(value._cache, NullCache):
                yield value.py_func


def reached(function, seen):
    """Modules of ours whose compiled functions a function is made from, its own among them."""
    function = inspect.unwrap(function)
    if function in seen:
        return set()
    seen.add(function)
    found, names = {function.__module__}, function.__code__.co_names
    values = [function.__globals__.get(name) for name in names]
    values += [vars(v).get(name) for v in values if inspect.ismodule(v) for name in names]
    for value in values:
        if isinstance(value, Dispatcher):
            found |= reached(value.py_func, seen)
        elif isinstance(value, _Intrinsic):
            found.add(value._defn.__module__)
    return {name for name in found if name.startswith("timegrain.")}


def test_what_is_kept_on_disk_and_made_from_other_files_has_their_digest_as_an_argument():
    functions = list(kept())
    assert len(functions) > 30
    for function in functions:
        if reached(function, set()) - {function.__module__}:
            assert "sources" in inspect.signature(function).parameters, function


# what a kernel digests besides the vectors: `sources(vectors, ...)` where it is called
BESIDE = {
    "timegrain.kernels.discontinuity.": ("timegrain.kernels.discontinuity.",),
    "timegrain.kernels.lti.filter.": tuple(
        f"timegrain.kernels.lti.{part}.numba_" for part in ("direct", "powers", "zoh")
    ),
}


def test_kernels_are_made_from_their_own_file_and_from_what_they_digest():
    for function in kept():
        own = function.__module__
        known = [names for folder, names in BESIDE.items() if own.startswith(folder)]
        known = ("timegrain.kernels.vectors.", *(known[0] if known else ()))
        for made_from in reached(function, set()) - {own}:
            assert made_from.startswith(known), (own, made_from)
