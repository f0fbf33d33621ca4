// Finds the extremes of what several sensors measure.
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

using Sensor = std::function<long(int)>;

template <typename Visit>
static void ReadAll(const std::vector<Sensor>& sensors, Visit visit) {
  std::vector<std::thread> threads;
  for (const Sensor& sensor : sensors) {
    threads.emplace_back([&sensor, visit] {
      for (int at = 0; at < 2; ++at) {
        usleep(3000);
        visit(sensor(at));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

static std::pair<long, long> Extremes(const std::vector<Sensor>& sensors) {
  long lowest = 1000;
  long highest = -1000;
  ReadAll(sensors, [&lowest, &highest](long value) {
    if (value < lowest) {
      lowest = value;
    }
    if (value > highest) {
      highest = value;
    }
  });
  return {lowest, highest};
}

int main() {
  auto found = Extremes({[](int at) { return 20 + at; }, [](int at) { return 18 - at; }});
  std::puts(found.first <= found.second ? "measured" : "nothing");
}
