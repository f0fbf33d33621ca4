"""Functions of C, C++ and Rust by their layout agree with the parser; where they cannot, it is asked."""

from __future__ import annotations

import pytest

from deadheat.repo.pinning import line_claims
from deadheat.repo.pinning.line_claims import LineClaim
from deadheat.repo.syntax import parser

C = b"""#include <stdio.h>

/* drain(q) is called by the worker { */
static void drain(struct queue *q);

static void drain(struct queue *q)
{
	if (q->length) {
		q->length = 0;
	}
}

int
waiting (const struct queue *q, int
	limit) {
	return drain_all(q) ? limit : q->length;
}

static int (*table[])(struct queue *) = { waiting };
int one(void) { return 1; }

int last(void)
{
	drain(0); one();
	return waiting(0, 1);
}
"""
CPP = b"""namespace news {

void Feed::publish(const Item& item) const {
  items_.push_back(item);
}

class Feed {
 public:
  void drop() {
    items_.clear();
  }
};

}  // namespace news
"""
RUST = b"""pub struct Feed { items: Vec<u32> }

impl Feed {
    pub(crate) async fn publish<T>(&mut self, item: T)
    where
        T: Into<u32>,
    {
        self.items.push(item.into());
    }

    unsafe extern "C" fn raw(x: *mut u32) { *x = 1; }
}

fn publish_all() {
    let f = || { publish() };
}
"""


@pytest.mark.parametrize(
    ("language", "source", "names"),
    [
        ("c", C, ["drain", "one", "last", "table", "nobody", "limit"]),
        ("cpp", CPP, ["publish"]),
        ("rust", RUST, ["publish", "publish_all", "raw", "nobody"]),
    ],
    ids=["c", "cpp", "rust"],
)
def test_the_layout_agrees_with_the_parser(language: str, source: bytes, names: list[str]) -> None:
    for name in names:
        assert parser.scan_function_extents(language, source, name) == parser.parse_function_extents(
            language, source, name
        )


def test_a_return_type_on_a_line_of_its_own() -> None:
    assert parser.scan_function_extents("c", C, "waiting") == [(14, 17)]


def test_what_the_layout_does_not_show_is_asked_of_the_parser() -> None:
    assert parser.scan_function_extents("cpp", CPP, "drop") is None
    assert (
        line_claims.function_extents("cpp", CPP, "drop")
        == parser.parse_function_extents("cpp", CPP, "drop")
        == [(9, 11)]
    )


def test_a_source_that_is_one_long_line_takes_no_time() -> None:
    source = b"drain(" * 200_000
    assert parser.scan_function_extents("c", source, "drain") == []
    assert parser.scan_function_extents("rust", b"fn drain" * 200_000, "drain") == []


HEADER = b"""#pragma once

namespace news {

class Feed {
 public:
  int waiting() const { return waiting_; }

 private:
  int waiting_ = 0;
};

}  // namespace news
"""
TESTS = b"""#include "feed.h"

TEST_F(FeedTest, Drops) {
  Feed feed;
  ASSERT_EQ(0, feed.waiting());
}

TYPED_TEST(FeedTest, Keeps) {
  ASSERT_EQ(1, TypeParam().waiting());
}
"""


def test_a_header_that_speaks_cpp_is_read_so_though_its_name_does_not_tell() -> None:
    assert line_claims.function_extents("c", HEADER, "waiting") == [(7, 7)]


def test_a_test_of_a_framework_is_where_its_macro_is() -> None:
    assert parser.scan_function_extents("cpp", TESTS, "TestBody") == [(3, 6), (8, 10)]
    boost = b"BOOST_AUTO_TEST_CASE(drops)\n{\n    BOOST_CHECK(true);\n}\n"
    assert parser.scan_function_extents("cpp", boost, "test_method") == [(1, 4)]
    assert parser.scan_function_extents("cpp", CPP, "TestBody") == []


@pytest.mark.parametrize(
    ("function", "line", "grade"),
    [
        ("~Feed", 5, line_claims.GRADE_MATCH),  # the compiler's own destructor has the line of its class
        ("~Feed", 7, line_claims.GRADE_NONE),
        ("waiting", 7, line_claims.GRADE_MATCH),
    ],
)
def test_objects_end_where_nobody_calls_their_destructor(function: str, line: int, grade: int) -> None:
    claim = LineClaim("c", function, line, "end")
    span = line_claims.function_extent(claim, HEADER)
    assert span is not None
    assert line_claims.grade_claim(claim, HEADER, span) == grade
