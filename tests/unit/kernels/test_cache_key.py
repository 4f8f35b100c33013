import importlib
import importlib.util
import inspect
import pkgutil

from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic

import timegrain
from timegrain.kernels.cache_key import helpers
from timegrain.kernels.discontinuity import sources
from timegrain.models.baseline import convolutions


def module_at(path, text):
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_cache_key_changes_with_the_source_of_a_helper(tmp_path):
    first = helpers(module_at(tmp_path / "a.py", "x = 1"))
    again = helpers(module_at(tmp_path / "b.py", "x = 1"))
    other = helpers(module_at(tmp_path / "c.py", "x = 2"))
    assert first.dtype == again.dtype != other.dtype


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
            assert "helpers" in inspect.signature(function).parameters, function


def test_the_digest_of_the_discontinuity_sums_is_of_all_their_files():
    known = {value.__name__ for value in vars(sources).values() if inspect.ismodule(value)}
    for function in kept():
        if function.__module__.startswith("timegrain.kernels.discontinuity"):
            assert reached(function, set()) - {function.__module__} <= known
