"""The container of the C++ library that a frame works on."""

from __future__ import annotations

import pytest

from deadheat.diagnosis.facts.containers import MAP, SEQUENCE, container_kind

HEADERS = "/usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits"


@pytest.mark.parametrize(
    ("function", "file", "kind"),
    [
        ("std::map<int, int>::operator[](int const&)", f"{HEADERS}/stl_map.h", MAP),
        ("std::_Rb_tree_increment(std::_Rb_tree_node_base*)", "", MAP),
        ("std::__1::__hash_table<int, int>::__rehash(unsigned long)", "", MAP),
        ("void std::vector<std::map<int, int> >::push_back(std::map<int, int>&&)", "", SEQUENCE),
        ("int& std::vector<int>::emplace_back<int>(int&&)", "", SEQUENCE),
        # inlined: the class is omitted
        ("_M_get_node", f"{HEADERS}/stl_tree.h", MAP),
        ("_M_realloc_insert<int>", f"{HEADERS}/vector.tcc", SEQUENCE),
        ("push_back", "/usr/lib/llvm-14/include/c++/v1/vector", SEQUENCE),
        ("operator++", "stl_tree.h", MAP),
        # containers in arguments only, and other types
        ("std::unique_ptr<std::map<int, int> >::get() const", f"{HEADERS}/unique_ptr.h", ""),
        ("std::sort<std::vector<int>::iterator>(int*, int*)", f"{HEADERS}/stl_algo.h", ""),
        ("shop::map::find(std::vector<int> const&)", "/src/shop/map.cc", ""),
        ("find", "/src/shop/map.cc", ""),
        ("operator delete(void*)", "", ""),
    ],
)
def test_container_kind(function: str, file: str, kind: str) -> None:
    assert container_kind(function, file) == kind
