"""The decorator of compiled functions that only compiled functions call."""

from collections.abc import Callable
from typing import Any, NoReturn

from numba import njit
from numba.core.registry import CPUDispatcher


class _Inner(CPUDispatcher):
    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        # without its wrapper the call would go to address 0
        raise TypeError(f"{self.py_func.__name__} is called from compiled functions only")


def inner(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Compile a function without the wrappers through which Python and C would call it.

    Wrappers are a quarter of the time that a kernel of many small functions takes to compile. A
    function so compiled cannot be called from Python: what is called from there is `njit`.

    Args:
        function: What to compile, where the decorator has no options.
        options: Those of `numba.njit`.
    """
    compiler: Any = njit  # whose types know nothing of these two options
    decorate = compiler(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)

    def compiled(function: Callable[..., Any]) -> Any:
        found = decorate(function)
        if isinstance(found, CPUDispatcher):  # not where NUMBA_DISABLE_JIT is set
            found.__class__ = _Inner
        return found

    return compiled if function is None else compiled(function)
