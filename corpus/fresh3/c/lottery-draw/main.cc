#include <unistd.h>

#include <cstdio>
#include <memory>
#include <set>
#include <thread>

#include "drum.h"

static void Counter(Drum* drum, std::set<int>* ticket) {
  while (ticket->size() < 2) {
    ticket->insert(drum->Draw());
    usleep(3000);
  }
}

int main() {
  auto drum = std::make_unique<Drum>(4711U);
  std::set<int> mine, yours;
  std::thread left(Counter, drum.get(), &mine);
  usleep(1000);
  Counter(drum.get(), &yours);
  left.join();
  std::puts(mine.size() + yours.size() > 3 ? "drawn" : "again");
}
