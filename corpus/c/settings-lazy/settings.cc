// Double-checked locking: the first check reads a pointer that is written under the lock.
#include <pthread.h>

#include <mutex>

class Settings {
 public:
  static Settings* instance() {
    if (shared_ == nullptr) {
      std::lock_guard<std::mutex> guard(lock_);
      if (shared_ == nullptr) {
        shared_ = new Settings;
      }
    }
    return shared_;
  }
  int limit() const { return limit_; }

 private:
  Settings() : limit_(10) {}
  int limit_;
  static Settings* shared_;
  static std::mutex lock_;
};

Settings* Settings::shared_ = nullptr;
std::mutex Settings::lock_;

static void* first(void*) { return reinterpret_cast<void*>(Settings::instance()->limit()); }

static void* second(void*) { return reinterpret_cast<void*>(Settings::instance()->limit()); }

int main() {
  pthread_t one, two;
  pthread_create(&one, nullptr, first, nullptr);
  pthread_create(&two, nullptr, second, nullptr);
  pthread_join(one, nullptr);
  pthread_join(two, nullptr);
  return 0;
}
