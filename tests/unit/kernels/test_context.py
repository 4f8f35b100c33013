import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from timegrain.core.errors import ConfigError, UnknownNameError
from timegrain.kernels import explain, lti_conv, use_backend
from timegrain.kernels.context import asked_backend
from timegrain.kernels.dispatch import Backend, choose

U, K = torch.ones(1, 4, 2), torch.ones(2, 4)


def ran(**options):
    lti_conv(U, K, **options)
    return explain()["lti_conv"].backend


def test_a_block_is_followed_until_it_ends_and_an_argument_beats_it():
    usual = ran()
    with use_backend("reference"):
        assert ran() == ran(backend="auto") == "reference"
        assert "(asked by use_backend: reference)" in str(explain()["lti_conv"])
        assert ran(backend="torch") == "torch"
        assert "(asked: torch)" in str(explain()["lti_conv"])
        with use_backend("torch"):
            assert ran() == "torch"
            with use_backend("auto"):
                assert ran() == usual
                assert "(asked: auto)" in str(explain()["lti_conv"])
        assert ran() == "reference"
    with pytest.raises(RuntimeError, match="within"), use_backend("torch"):
        raise RuntimeError("within")
    assert ran() == usual


def test_a_block_reaches_neither_other_threads_nor_other_tasks():
    async def other():
        await asyncio.sleep(0)
        return asked_backend()

    async def both():
        task = asyncio.create_task(other())
        with use_backend("torch"):
            return await task, asked_backend()

    assert asyncio.run(both()) == ("auto", "torch")
    with use_backend("torch"), ThreadPoolExecutor(1) as pool:
        assert pool.submit(asked_backend).result() == "auto"


def test_what_cannot_run_is_an_error_as_with_an_argument():
    never = Backend(name="numba", target="math:sqrt", usable=lambda _: (False, "it is Sunday"))
    backends = [never, Backend(name="torch", target="math:sqrt")]
    with use_backend("numba"), pytest.raises(ConfigError, match="'numba', got it is Sunday") as e:
        choose("op", backends, "auto", {})
    assert "use_backend('auto')" in str(e.value)
    with (
        use_backend("reference"),
        pytest.raises(UnknownNameError, match=r"op\(\) has no backend called 'reference'"),
    ):
        choose("op", backends, "auto", {})
    with pytest.raises(UnknownNameError, match=r"one of auto, .*\nTry use_backend\('torch'\)"):
        use_backend("toch").__enter__()
    with pytest.raises(UnknownNameError) as none_like_it:
        use_backend("cuda").__enter__()
    assert none_like_it.value.hint is None


def test_compiled_code_is_never_what_another_block_asked_for():
    compiled = torch.compile(lambda u: lti_conv(u, K), backend="eager")
    for _ in range(2):  # the second time from what was compiled before
        want = compiled(U)
        with use_backend("torch"):
            assert torch.equal(compiled(U), want)
        with use_backend("numba"), pytest.raises(ConfigError, match="does not trace compiled"):
            compiled(U)
    torch.compiler.reset()
