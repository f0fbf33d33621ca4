#include "harvest.h"

#include <unistd.h>

#include <thread>
#include <vector>

Yield harvest(const std::vector<int>& rows) {
  long kilos = 0;
  long pickers = 0;
  std::vector<std::thread> crew;
  unsigned wait = 2000;
  for (int row : rows) {
    crew.emplace_back([&, row, wait] {
      usleep(wait);
      kilos += row;
      pickers += 1;
      usleep(25000);
    });
    wait += 7000;
  }
  for (std::thread& one : crew) {
    one.join();
  }
  return {kilos, pickers};
}
