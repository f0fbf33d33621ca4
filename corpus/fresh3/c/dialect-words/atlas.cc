#include "atlas.h"

void Atlas::Bump(Index& index, long key) {
  auto found = index.find(key);
  if (found != index.end()) {
    found->second += 1;
    return;
  }
  index.insert({key, 1});
}

long Atlas::Count(const Index& index) {
  return static_cast<long>(index.size());
}

void Atlas::Hear(long word, long place) {
  Bump(words_, word);
  if (place > 0) {
    Bump(places_, place);
  }
}
