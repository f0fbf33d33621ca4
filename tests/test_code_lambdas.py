"""Frames of C++ lambdas, as gcc and clang print them, fit the function that contains them."""

from __future__ import annotations

import pytest

import deadheat
from deadheat.repo.pinning.line_claims import class_of_method, declaration_name
from tests.repositories import Repository, line, told_of

pytestmark = pytest.mark.usefixtures("cache")

FEED = """#include <thread>

struct Feed {
  int dropped = 0;
  void run() {
    std::thread worker([this] {
      dropped++;
    });
    dropped++;
    worker.join();
  }
};

int main() {
  Feed feed;
  feed.run();
}
"""
TSAN = """WARNING: ThreadSanitizer: data race (pid=7)
  Write of size 4 at 0x7fffffffe5ec by main thread:
    #0 Feed::run() /src/feed/feed.cc:{own} (feed+0x1ffb)
    #1 main /src/feed/feed.cc:{main} (feed+0x13a9)

  Previous write of size 4 at 0x7fffffffe5ec by thread T1:
    #0 {function} /src/feed/feed.cc:{closure} (feed+0x2046)
    #1 __invoke<Feed::run()::<lambda()> > /usr/include/c++/12/bits/invoke.h:96 (feed+0x1d65)

  Thread T1 (tid=8, running) created by main thread at:
    #0 pthread_create ../tsan/tsan_interceptors_posix.cpp:1001 (libtsan.so.2+0x5e686)
    #1 std::thread::_M_start_thread(std::unique_ptr<std::thread::_State>, void (*)()) <null> (libstdc++.so.6+0xd4578)
    #2 Feed::run() /src/feed/feed.cc:{created} (feed+0x20a9)
    #3 main /src/feed/feed.cc:{main} (feed+0x13a9)

"""


@pytest.mark.parametrize(
    "function",
    [
        "operator()",
        "Feed::run()::{lambda()#1}::operator()() const",
        "Feed::run()::$_0::operator()() const",
        "Feed::run()::'lambda'()::operator()() const",
    ],
)
def test_every_frame_of_a_race_with_a_lambda_fits_and_its_line_is_read(repo: Repository, function: str) -> None:
    repo.put("feed: begin", {"feed/feed.cc": FEED})
    lines = {
        "closure": line(FEED, "dropped++"),
        "own": line(FEED, "dropped++", 2),
        "created": line(FEED, "});"),
        "main": line(FEED, "feed.run()"),
    }
    report = deadheat.scan(TSAN.format(function=function, **lines), diagnose=False)[0].report
    found = told_of(repo, report)
    assert found.pin is not None
    assert (found.pin.is_exact, found.pin.frame_count) == (True, 4)
    assert len(found.racing_lines) == 2
    if "::" in function:  # the class is known
        assert found.variable is not None
        assert (found.variable.owner, found.variable.name) == ("Feed", "dropped")


@pytest.mark.parametrize(
    ("printed", "owner", "name"),
    [
        ("operator()", "", ""),
        ("main::{lambda()#1}::operator()() const", "", "main"),
        ("main::{lambda(int)#2}::operator()(int) const::{lambda()#1}::operator()() const", "", "main"),
        ("news::Feed<int>::drop()::$_2::operator()() const", "Feed", "drop"),
        ("news::Feed<int>::drop(int) const", "Feed", "drop"),
        ("news::Feed::~Feed()", "Feed", "~Feed"),
        ("shop::Cart<T>::total::{closure#0}", "Cart", "total"),
        ("drain.isra.0", "", "drain"),
        ("Feed::operator==(Feed const&) const", "Feed", ""),
        ("{lambda()#1}::operator()() const", "", ""),
    ],
)
def test_a_lambda_is_code_of_the_function_around_it(printed: str, owner: str, name: str) -> None:
    assert (class_of_method(printed), declaration_name(printed, "cpp")) == (owner, name)
