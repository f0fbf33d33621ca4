// A counter that is atomic on the hot path and plain in the reset.
#include <pthread.h>

namespace stats {

struct Histogram {
  long hits = 0;
  long misses = 0;

  void hit() { __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED); }
  long total() const { return __atomic_load_n(&misses, __ATOMIC_ACQUIRE); }
  void reset() {
    hits = 0;
    misses = 0;
  }
};

Histogram* const latency = new Histogram;

void* serve(void*) {
  latency->hit();
  latency->total();
  return nullptr;
}

void* rollover(void*) {
  latency->reset();
  return nullptr;
}

}  // namespace stats

int main() {
  pthread_t one, two;
  pthread_create(&one, nullptr, stats::serve, nullptr);
  pthread_create(&two, nullptr, stats::rollover, nullptr);
  pthread_join(one, nullptr);
  pthread_join(two, nullptr);
  return 0;
}
