// A spin lock of our own, annotated for the detector, and misused in every way that the annotations can tell.
#include <pthread.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ANNOTATED 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define ANNOTATED 1
#endif

#ifdef ANNOTATED
#include <sanitizer/tsan_interface.h>
#else
#define __tsan_mutex_create(m, f)
#define __tsan_mutex_destroy(m, f)
#define __tsan_mutex_pre_lock(m, f)
#define __tsan_mutex_post_lock(m, f, r)
#define __tsan_mutex_pre_unlock(m, f)
#define __tsan_mutex_post_unlock(m, f)
#define __tsan_mutex_read_lock 0
#endif

namespace sync {

class SpinLock {
 public:
  SpinLock() { __tsan_mutex_create(this, 0); }
  void destroy() { __tsan_mutex_destroy(this, 0); }
  void lock() {
    __tsan_mutex_pre_lock(this, 0);
    __tsan_mutex_post_lock(this, 0, 0);
  }
  void unlock() {
    __tsan_mutex_pre_unlock(this, 0);
    __tsan_mutex_post_unlock(this, 0);
  }
  void lock_shared() {
    __tsan_mutex_pre_lock(this, __tsan_mutex_read_lock);
    __tsan_mutex_post_lock(this, __tsan_mutex_read_lock, 0);
  }
  void unlock_shared() {
    __tsan_mutex_pre_unlock(this, __tsan_mutex_read_lock);
    __tsan_mutex_post_unlock(this, __tsan_mutex_read_lock);
  }

 private:
  [[maybe_unused]] long word_ = 0;
};

SpinLock twice, mixed, surplus, held, shared;

void lock_first() { twice.lock(); }

void* lock_second(void*) {
  twice.lock();
  return nullptr;
}

void read_while_writing() {
  mixed.lock();
  mixed.lock_shared();
}

void release_wrong_way() {
  shared.lock();
  shared.unlock_shared();
}

void release_free() { surplus.unlock(); }

void destroy_held() {
  held.lock();
  held.destroy();
}

}  // namespace sync

int main() {
  pthread_t thread;
  sync::lock_first();
  pthread_create(&thread, nullptr, sync::lock_second, nullptr);
  pthread_join(thread, nullptr);
  sync::read_while_writing();
  sync::release_wrong_way();
  sync::release_free();
  sync::destroy_held();
  return 0;
}
