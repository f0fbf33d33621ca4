// Counts the lines of several files at once.
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

static int CountLines(const std::string& path) {
  usleep(3000);
  return static_cast<int>(path.size());
}

static int Tally(const std::vector<std::string>& paths) {
  int total = 0;
  std::vector<std::thread> threads;
  for (const std::string& path : paths) {
    threads.emplace_back([&total, &path] {
      for (int part = 0; part < 3; ++part) {
        int lines = CountLines(path);
        total += lines;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  return total;
}

int main() {
  int total = Tally({"a.log", "b.log"});
  std::puts(total > 0 ? "counted" : "nothing");
}
