import importlib.util

from timegrain.kernels.cache_key import helpers


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
