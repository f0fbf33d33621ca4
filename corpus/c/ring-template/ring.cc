// Templates, operators and an anonymous namespace: one class, two instantiations, two races.
#include <pthread.h>

#include <cstddef>

namespace {

template <typename T, std::size_t N>
class Ring {
 public:
  Ring& operator<<(const T& value) {
    slots_[head_ % N] = value;
    ++head_;
    return *this;
  }
  T operator[](std::size_t at) const { return slots_[at % N]; }
  explicit operator bool() const { return head_ != 0; }

 private:
  T slots_[N] = {};
  std::size_t head_ = 0;
};

struct Tick {
  long price;
  long volume;
};

Ring<int, 4> ids;
Ring<Tick, 2> ticks;

void* feeder(void*) {
  ids << 7;
  ticks << Tick{100, 5};
  return nullptr;
}

void* watcher(void*) {
  long sum = static_cast<bool>(ids) + ids[0];
  sum += static_cast<bool>(ticks) + ticks[0].price;
  return reinterpret_cast<void*>(sum);
}

}  // namespace

int main() {
  pthread_t one, two;
  pthread_create(&one, nullptr, feeder, nullptr);
  pthread_create(&two, nullptr, watcher, nullptr);
  pthread_join(one, nullptr);
  pthread_join(two, nullptr);
  return 0;
}
