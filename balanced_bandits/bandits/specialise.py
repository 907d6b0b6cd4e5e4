"""Specialise the shared loop for each bandit, so that Numba can cache the compiled code.

All bandits share the loop in ``loop``, which calls the kernels of the current bandit. Numba can pass kernels to a
compiled function as arguments or by closure, but it caches neither: every new process would compile for half a minute
before its first round (``tests/unit/bandits/test_specialise.py`` demonstrates this). It does cache functions that call
others by module-level names. The templates of the loop therefore call global names, and each bandit gets a copy of the
templates with its own dictionary of globals, in which these names are the bandit's kernels.
"""

import types
from collections.abc import Callable, Mapping
from typing import Any


def specialised(template: Callable[..., Any], owner: str, names: Mapping[str, Any]) -> Callable[..., Any]:
    """A copy of the function ``template`` that looks up global names in ``names``.

    Its qualified name, after which Numba names the cache file, is OWNER.TEMPLATE.
    """
    original: Any = template
    function = types.FunctionType(original.__code__, names, original.__name__)  # type: ignore[arg-type]
    function.__qualname__ = f"{owner}.{original.__name__}"
    function.__doc__ = original.__doc__
    return function
