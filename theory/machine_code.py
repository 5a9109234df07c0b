"""Compiled functions kept on disk, and known there by everything that they were made from.

Numba keeps machine code beside the source where that is writable and in the user's cache directory where it is not (an
installed package); `NUMBA_CACHE_DIR` overrides both. It asks a function's own file whether kept code is still true, but
compiled into it are also the functions it calls and the constants it reads, which may come from other files. So the
key under which code is kept holds a digest of these as well: after an edit anywhere old code is simply not found.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from types import CodeType, ModuleType
from typing import Any

import numba
from numba.core.caching import FunctionCache
from numba.core.dispatcher import Dispatcher


def njit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """`numba.njit` whose ``cache=True`` looks at all that a function is made of.

    Where nothing is writable the function is compiled anew in each process.
    """
    if function is None:
        return lambda function: njit(function, **options)
    keep = options.pop("cache", False)
    compiled = numba.njit(**options)(function)
    if keep and hasattr(compiled, "py_func"):  # with NUMBA_DISABLE_JIT it is the function itself
        with suppress(RuntimeError):  # "cannot cache function": no writable place at all
            compiled._cache = _Cache(compiled)
    return compiled


def made_of(compiled: Any) -> str:
    """A digest of a compiled function: its code, its options, the constants it reads, the functions it calls."""
    digest = hashlib.sha256()
    ahead, seen = [compiled], set()
    while ahead:
        function = ahead.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        source = function.py_func
        digest.update(f"{source.__qualname__} {sorted(function.targetoptions.items(), key=str)}".encode())
        cells = [cell.cell_contents for cell in source.__closure__ or ()]
        names = _names(source.__code__)
        for value in (*_code(source.__code__), *cells, *(source.__globals__.get(name) for name in names)):
            if isinstance(value, Dispatcher):
                ahead.append(value)
            else:
                digest.update(_text(value))
    return digest.hexdigest()


class _Cache(FunctionCache):
    """Numba's cache of a function on disk, with the digest in the key."""

    def __init__(self, compiled: Any) -> None:
        super().__init__(compiled.py_func)
        self._compiled = compiled

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        # Not before it is asked for: what a function calls may be defined after it.
        return (*super()._index_key(sig, codegen), made_of(self._compiled))


def _names(code: CodeType) -> list[str]:
    """The names that a function looks up, those of functions within it included."""
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return [*code.co_names, *(name for c in inner for name in _names(c))]


def _code(code: CodeType) -> list[Any]:
    """Its instructions and the constants in them."""
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    plain = [c for c in code.co_consts if not isinstance(c, CodeType)]
    return [code.co_code, plain, *(part for c in inner for part in _code(c))]


def _text(value: Any) -> bytes:
    if isinstance(value, ModuleType):
        return f"{value.__name__} {getattr(value, '__version__', '')}".encode()
    if hasattr(value, "tobytes"):
        return f"{value.dtype} {value.shape}".encode() + bytes(value.tobytes())
    text = repr(value)
    # The address in the text of an object differs from process to process.
    return (text if " at 0x" not in text else getattr(value, "__qualname__", type(value).__name__)).encode()
