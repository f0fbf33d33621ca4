#include <unistd.h>

#include <cstdio>
#include <memory>
#include <thread>

#include "atlas.h"

struct Interview {
  long place;
  long word;
};

static void Collect(Atlas* atlas) {
  const Interview interviews[] = {{24, 7}, {24, 7}};
  for (const Interview& one : interviews) {
    atlas->Hear(one.word, one.place);
    usleep(9000);
  }
}

static bool Desk(const Atlas& atlas) { return atlas.Words() > 0 && atlas.Places() > 0; }

int main() {
  auto atlas = std::make_unique<Atlas>();
  std::thread collector(Collect, atlas.get());
  usleep(5000);
  bool any = Desk(*atlas);
  collector.join();
  std::puts(any ? "kept" : "empty");
}
