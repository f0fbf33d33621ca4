// Hands every tick to all handlers.
#include <unistd.h>

#include <cstdio>
#include <thread>
#include <vector>

using Handler = void (*)(int);

class Feed {
 public:
  Feed() { handlers_.reserve(16); }

  void Subscribe(Handler handler) {
    handlers_.push_back(handler);
  }

  void Dispatch(int ticks) {
    for (int tick = 0; tick < ticks; ++tick) {
      usleep(3000);
      Emit(tick);
    }
  }

 private:
  void Emit(int tick) {
    std::size_t count = handlers_.size();
    if (count > 0 && tick > 100) {
      handlers_[0](tick);
    }
  }

  std::vector<Handler> handlers_;
};

static Feed feed;

static void Ignore(int) {}

int main() {
  std::thread dispatcher([] { feed.Dispatch(6); });
  for (int i = 0; i < 3; ++i) {
    usleep(5000);
    feed.Subscribe(Ignore);
  }
  dispatcher.join();
  std::puts("done");
}
