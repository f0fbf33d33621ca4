// Where which word is said; words and places have numbers.
#pragma once

#include <map>

class Atlas {
 public:
  void Hear(long word, long place);
  long Words() const { return Count(words_); }
  long Places() const { return Count(places_); }

 private:
  using Index = std::map<long, long>;

  static void Bump(Index& index, long key);
  static long Count(const Index& index);

  Index words_;
  Index places_;
};
