// A shared pointer is replaced while another thread copies it: the count is safe, the pointer is not.
#include <poll.h>

#include <memory>
#include <thread>

struct Config {
  int timeout = 30;
};

class Store {
 public:
  std::shared_ptr<const Config> snapshot() const { return current_; }
  void reload() { current_ = std::make_shared<const Config>(); }

 private:
  std::shared_ptr<const Config> current_ = std::make_shared<const Config>();
};

static Store store;

int main() {
  std::thread reader([] { return store.snapshot()->timeout; });
  std::thread reloader([] {
    poll(nullptr, 0, 100);
    store.reload();
  });
  reader.join();
  reloader.join();
  return 0;
}
