"""Printed symbols and paths, in every language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.symbols import demangle, go, kernel, native, rust
from fuzz.targets import FuzzTarget

if TYPE_CHECKING:
    from collections.abc import Iterable

_MAX_NAME = 1 << 16


def demangle_symbol(data: bytes) -> None:
    """A demangled name is bounded, and what is not mangled is not changed."""
    symbol = data.decode("utf-8", "surrogateescape")
    for function in (demangle.demangle_cpp, demangle.demangle_rust, native.demangle_swift, native.readable_name):
        name = function(symbol)
        assert len(name) <= _MAX_NAME + len(symbol), function
        assert name or not symbol, function
    if symbol.isalpha() and not symbol.startswith("_"):
        assert demangle.demangle_cpp(symbol) == demangle.demangle_rust(symbol) == symbol


def make_frames(data: bytes) -> None:
    """A frame of any symbol and path has the keys that grouping needs."""
    symbol, _, path = data.decode("utf-8", "surrogateescape").partition("\n")
    for module in (go, kernel, native, rust):
        frame = module.make_frame(symbol, path, 12)
        assert frame.line == 12
        assert len(frame.file) <= len(path) + 1, module
        key = module.function_key(frame)
        assert len(key) <= len(symbol) + len(path) + _MAX_NAME, module
        module.source_function(frame.function)


def _symbol_seeds() -> Iterable[bytes]:
    yield from (
        b"_ZN4shop4Cart3addEi", b"_ZZN4shop4mainEvENKUlvE_clEv", b"_ZTV4Cart", b"_ZTh16_N4shop4Cart3addEi",
        b"_ZN4shop4CartC1ERKS0_",
        b"_ZNSt6vectorIN4shop4CartESaIS1_EE9push_backERKS1_", b"_ZN4CartcvbEv", b"_ZN4CartplERKS_",
        b"_Z3fooILi3EEvv.isra.0",
        b"_RNvCs123_4shop4main", b"_RNvMs_Cs1_4shopNtB4_4Cart3add", b"_RNCNvC4shop4main0B3_", b"_RINvC4shop3addmE",
        b"_ZN4shop4main17h0123456789abcdefE",
        b"_ZN50_$LT$shop..Cart$u20$as$u20$core..ops..Drop$GT$4drop17h0123456789abcdefE",
        b"$s4Shop4CartC3addyySiF", b"$s4Shop4mainyyFyycfU_",
    )  # fmt: skip


def _frame_seeds() -> Iterable[bytes]:
    yield from (
        b"example.com/shop/v2.(*Cart[...]).Add.func1.2\n/home/ci/go/pkg/mod/example.com/shop@v1.2.3/cart.go",
        b"main.main\n/src/main.go",
        b"void shop::Cart::add<int>(int) const::{lambda()#1}::operator()()\n/build/shop/src/cart.cc",
        b"-[Cart add:]\nC:\\src\\cart.m",
        b"<shop::Cart as core::ops::Drop>::drop::{closure#0}\n/rustc/abc/library/std/src/thread/mod.rs",
        b"(anonymous namespace)::f\n",
        b"tcp_poll.constprop.0\n/build/linux-6.1/net/ipv4/tcp.c", b"closure #1 in Cart.add(_:)\n<compiler-generated>",
    )  # fmt: skip


TARGETS = (
    FuzzTarget("demangle", demangle_symbol, _symbol_seeds, (), 8, 256),
    FuzzTarget("frames", make_frames, _frame_seeds, (), 5, 256),
)
