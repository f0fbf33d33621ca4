"""C++, Rust and Swift symbols, mangled or not, and the origin of their code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadheat.model import Origin
from deadheat.symbols import demangle, native
from tests.test_properties import example_count
from tests.watchdog import time_limit

PARENTS = {
    "main": "main",
    "shop::Cart::add(int)": "shop::Cart::add",
    "void shop::apply<int>(int)": "shop::apply",
    "unsigned long shop::Shelf<std::pair<int const, int> >::count<4ul>() const": "shop::Shelf::count",
    "std::enable_if<(sizeof (int)) > (4), void>::type shop::f<int>(int)": "shop::f",
    "decltype(auto) shop::call<void (*)()>(void (*&&)())": "shop::call",
    "shop::(anonymous namespace)::Cart::add() const &": "shop::(anonymous namespace)::Cart::add",
    "shop::Cart::~Cart()": "shop::Cart::~Cart",
    "shop::name[abi:cxx11](int)": "shop::name",
    "std::__1::vector<int, std::__1::allocator<int> >::push_back(int&&)": "std::vector::push_back",
    # operators that look like brackets, and conversions
    "shop::operator<(shop::Money const&, shop::Money const&)": "shop::operator<",
    "bool shop::operator< <int>(shop::Box<int> const&)": "shop::operator<",
    "std::ostream& shop::operator<<(std::ostream&, shop::Cart const&)": "shop::operator<<",
    "shop::Cart::operator->() const": "shop::Cart::operator->",
    "shop::Cart::operator()(int)": "shop::Cart::operator()",
    "shop::Cart::operator[](unsigned long)": "shop::Cart::operator[]",
    "shop::Cart::operator=(shop::Cart&&)": "shop::Cart::operator=",
    "shop::Money::operator unsigned long() const": "shop::Money::operator unsigned long",
    "operator new[](unsigned long)": "operator new[]",
    "operator delete(void*, unsigned long)": "operator delete",
    # code inside a function
    "shop::run()::{lambda(int)#1}::operator()(int) const": "shop::run",
    "shop::run(int)::$_0::operator()() const": "shop::run",
    "auto main::{lambda(auto:1)#1}::operator()<int>(int) const": "main",
    "main::'lambda0'(int)::operator()(int) const": "main",
    "$_0::operator()() const": "{lambda}",
    "main._omp_fn.0": "main",
    "sum.constprop.0.cold": "sum",
    "sum.isra.0": "sum",
    "shop::f(int) [clone .part.0]": "shop::f",
    "shop::f(int) (.isra.0)": "shop::f",
    "pthread_create@@GLIBC_2.34": "pthread_create",
    # Rust
    "<shop::cart::Cart<i32> as shop::cart::Bill>::bill": "shop::cart::Cart::bill",
    "<shop::cart::Cart<i32>>::add": "shop::cart::Cart::add",
    "shop::cart::Cart<T>::add": "shop::cart::Cart::add",
    "shop::apply::<fn(i32) -> i32>": "shop::apply",
    "shop::main::{closure#0}::{closure#1}": "shop::main",
    "shop::main::{{closure}}": "shop::main",
    "shop::fetch::{async_fn#0}": "shop::fetch",
    # Swift and Objective-C
    "closure #1 in Cart.add(_:)": "Cart.add",
    "closure #2 (Swift.Int) -> () in closure #1 () -> () in Shop.Cart.add() -> ()": "Shop.Cart.add",
    "partial apply for closure #1 in static Shop.main()": "Shop.main",
    "(2) suspend resume partial function for Store.refill()": "Store.refill",
    "@objc CartTests.testAdd()": "CartTests.testAdd",
    "Cart.total.getter": "Cart.total.getter",
    "-[SHPCart add:to:]": "-[SHPCart add:to:]",
    "__23-[SHPStore refill:with:]_block_invoke_2": "-[SHPStore refill:with:]",
    "__main_block_invoke": "main",
    "<null>": "<null>",
}


@pytest.mark.parametrize("function", PARENTS)
def test_source_function(function: str) -> None:
    assert native.source_function(function) == PARENTS[function]
    assert native.source_function(PARENTS[function]) == PARENTS[function]


READABLE = {
    # as gcc, clang and rustc mangle them
    "_ZN4shop4Cart3addEi": "shop::Cart::add",
    "_ZNK4shop4CartIiE3sumEv": "shop::Cart::sum",
    "_ZZN4shop3runEvENKUlvE_clEv": "shop::run::{lambda()#1}::operator()",
    "_ZZN4shop9operatorsEvENK3$_2clEv": "shop::operators::$_2::operator()",
    "_ZN12_GLOBAL__N_14tickEPv": "(anonymous namespace)::tick",
    "_ZL4tickPv": "tick",
    "_ZN4shop4CartD2Ev": "shop::Cart::~Cart",
    "_ZN4shop4CartC1ERKS0_": "shop::Cart::Cart",
    "_ZN4shop4CartcvbEv": "shop::Cart::operator bool",
    "_ZNSt6vectorIiSaIiEE9push_backEOi": "std::vector::push_back",
    "_ZStlsRSoRKN4shop5MoneyE": "std::operator<<",
    "_ZN4shop1fILi5EEEvv.constprop.0": "shop::f",
    "_ZN4shop4nameB5cxx11Ei": "shop::name",
    "_ZN4shop4main17h00330a5efbb668baE": "shop::main",
    "_ZN4shop4main28_$u7b$$u7b$closure$u7d$$u7d$17hb7a2922eff613282E.llvm.123": (
        "shop::main::{{closure}}"
    ),
    "_$LT$shop..cart..Cart$LT$T$GT$$u20$as$u20$shop..cart..Bill$GT$::bill::hb0282808e51bfce3": (
        "<shop::cart::Cart<T> as shop::cart::Bill>::bill"
    ),
    "shop::main::h00330a5efbb668ba": "shop::main",
    "_RNvXs_NtCsbxQjNsTKZZh_4shop4cartINtB4_4CartlENtB4_4Bill4billB6_": (
        "<shop::cart::Cart as shop::cart::Bill>::bill"
    ),
    "_RNCNvCsbxQjNsTKZZh_4shop4main0B3_": "shop::main::{closure#0}",
    "_RNvMs_NtNtCsjrHSEGnQ3l9_3std12backtrace_rs9symbolizeNtB4_6Symbol4name": (
        "<std::backtrace_rs::symbolize::Symbol>::name"
    ),
    "_RNCNCNCNvNtCsjrHSEGnQ3l9_3std2rt19lang_start_internal00s_0B9_": (
        "std::rt::lang_start_internal::{closure#0}::{closure#0}::{closure#1}"
    ),
    "$s4Shop4CartC3addyySiF": "Shop.Cart.add",
    "_$s4Shop5StoreC6refillyyFyycfU_": "Shop.Store.refill",
    # other names are unchanged
    "_Z": "_Z", "_ZN4shop": "_ZN4shop", "_R": "_R", "_RNvC": "_RNvC", "$s": "$s", "": "",
    "__tsan_write4": "__tsan_write4", "shop::apply(void (_)(int))": "shop::apply(void (*)(int))",
}  # fmt: skip


@pytest.mark.parametrize("symbol", READABLE)
def test_mangled_names_are_demangled(symbol: str) -> None:
    assert native.readable_name(symbol) == READABLE[symbol]


ORIGINS = [
    ("malloc", "", "", Origin.RUNTIME),
    ("pthread_create", "../../../../src/libsanitizer/tsan/x.cpp", "libtsan.so.2", Origin.RUNTIME),
    ("operator new(unsigned long)", "", "shop", Origin.RUNTIME),
    ("__tsan_mutex_pre_lock", "", "shop", Origin.RUNTIME),
    ("start_thread", "./nptl/pthread_create.c", "libc.so.6", Origin.RUNTIME),
    ("std::vector<int>::push_back(int&&)", "/usr/include/c++/12/bits/stl_vector.h", "", Origin.STDLIB),
    ("std::thread::_M_start_thread()", "", "libstdc++.so.6", Origin.STDLIB),
    ("std::hash<shop::Key>::operator()(shop::Key) const", "/src/shop/key.h", "", Origin.USER),
    ("void std::__invoke_impl<void, void (Pool::*)()>(Pool*&&)", "", "shop", Origin.STDLIB),
    ("void shop::each<std::string>(std::string const&)", "", "shop", Origin.USER),
    ("qsort", "", "libc.so.6", Origin.STDLIB),
    ("core::ops::function::FnOnce::call_once", "/rustc/59807/library/core/src/ops/f.rs", "", Origin.STDLIB),
    ("test::run_test", "/rustc/59807/library/test/src/lib.rs", "", Origin.TEST),
    ("testing::Test::Run()", "/src/third_party/googletest/src/gtest.cc", "", Origin.TEST),
    ("Catch::Session::run()", "", "", Origin.TEST),
    ("thunk for @escaping () -> ()", "<compiler-generated>", "", Origin.GENERATED),
    ("shop::write(int)", "", "shop", Origin.USER),
    ("write", "/src/shop/write.c", "shop", Origin.USER),
    ("strategy", "", "shop", Origin.USER),
    ("core::Engine::step()", "", "shop", Origin.USER),
    ("add", "/src/shop/posix/add.c", "", Origin.USER),
    ("add", "/src/shop/tests/gtest/cart_test.cc", "", Origin.USER),
]


@pytest.mark.parametrize(("function", "path", "module", "origin"), ORIGINS)
def test_origin_of_a_frame(function: str, path: str, module: str, origin: Origin) -> None:
    assert native.make_frame(function, path, 3, module).origin is origin


FILES = {
    "/proc/self/cwd/shop/cart.cc": "shop/cart.cc",
    "external/com_google_absl/absl/span.h": "absl/span.h",
    "/proc/self/cwd/external/com_google_absl/absl/span.h": "absl/span.h",
    "bazel-out/k8-dbg/bin/shop/proto.pb.cc": "shop/proto.pb.cc",
    "/home/ci/.cache/bazel/_bazel_ci/9f/sandbox/linux-sandbox/3/execroot/_main/shop/x.cc": "shop/x.cc",
    "/home/ci/.cargo/registry/src/index.crates.io-6f17/slab-0.4.9/src/lib.rs": "src/lib.rs",
    "/rustc/59807616e1fa/library/std/src/rt.rs": "library/std/src/rt.rs",
    "./shop/cart.cc": "shop/cart.cc",
    "/src/shop/cart.cc": "/src/shop/cart.cc",
    "C:\\src\\shop\\cart.cc": "C:/src/shop/cart.cc",
    "": "",
}


@pytest.mark.parametrize("path", FILES)
def test_files_are_relative_to_their_root(path: str) -> None:
    assert native.make_frame("f", path, 3).file == FILES[path]


def test_crate_is_the_package() -> None:
    function = "<shop::cart::Cart<i32> as shop::cart::Bill>::bill"
    assert native.make_frame(function, "/src/shop/main.rs", 3).package == "shop"
    assert native.make_frame("shop::Cart::add()", "/src/shop/cart.cc", 3).package == ""


def test_ambiguous_name_is_distinguished_by_its_file() -> None:
    keys = {native.function_key(native.make_frame("operator()", f"/src/{x}.cc", 3)) for x in "ab"}
    assert len(keys) == 2
    assert native.function_key(native.make_frame("shop::f()", "/src/a.cc", 3)) == "shop::f"


NAMES = st.one_of(
    st.text(max_size=40),
    st.text(alphabet="ab:<>()[]{}#$_'.,& *-~0159EINSZRLUCDT", max_size=60),
    st.sampled_from([*PARENTS, *READABLE]),
)


@example_count(500)
@given(NAMES, NAMES, st.one_of(st.none(), st.integers(0, 10**9)))
def test_arbitrary_names_and_paths_do_not_raise(function: str, path: str, line: int | None) -> None:
    frame = native.make_frame(function, path, line)
    assert frame.line == line
    assert isinstance(native.function_key(frame), str)


@example_count(300)
@given(st.text(alphabet="0123456789_NCMXYIBLKSTRQPODFEsuabcdefghvpRZ", max_size=60))
def test_arbitrary_mangled_names_do_not_raise(body: str) -> None:
    assert isinstance(demangle.demangle_rust("_R" + body), str)
    assert isinstance(demangle.demangle_cpp("_Z" + body), str)
    assert isinstance(native.demangle_swift("$s" + body), str)
    assert isinstance(native.cpp_source_function(body), str)


HOSTILE = (
    "_RIC1a" + "B_" * 4000, "_R" + "NvB_" * 2000, "_RY" * 3000, "_R" + "INvC1a1b" * 2000 + "B_E" * 2000,
    "_ZN" * 9000, "_ZZ" * 9000, "_ZN1aI" * 5000, "_Z" + "Ul" * 5000, "_ZN1aILi" + "1" * 9000,
    "<" * 20_000, "(" * 20_000, "operator<" * 5000, "a<b>::" * 5000, "closure #1 in " * 3000,
    "$LT$" * 5000, ".isra.0" * 5000, "_" * 9000 + "_block_invoke", "std::__1::" * 4000, "a " * 9000,
)  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("symbol", HOSTILE, ids=lambda symbol: symbol[:16])
def test_hostile_names_take_linear_time(symbol: str) -> None:
    with time_limit():
        for text in (symbol, symbol * 20):
            native.function_key(native.make_frame(text, "x.rs", 1))
            native.function_key(native.make_frame("a", text, 1))
