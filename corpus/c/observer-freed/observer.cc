// An observer is deleted by its owner before the last event is delivered: a virtual call on a freed object.
#include <poll.h>

#include <memory>
#include <thread>

namespace {

struct Observer {
  virtual ~Observer() = default;
  virtual int notify(int code) = 0;
};

struct PriceObserver final : Observer {
  int notify(int code) override { return code + last; }
  int last = 0;
};

struct Subject {
  Observer* observer;
  int fire(int code) { return observer->notify(code); }
};

}  // namespace

int main() {
  auto owner = std::make_unique<PriceObserver>();
  Subject subject{owner.get()};
  std::thread late([&subject] {
    poll(nullptr, 0, 100);
    subject.fire(3);
  });
  owner.reset();
  late.join();
  return 0;
}
