// A library's handle, whose accesses the library itself tells the detector about; and the same for a Swift variable.
#include <pthread.h>

#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ANNOTATED 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define ANNOTATED 1
#endif

extern "C" {
#ifdef ANNOTATED
void* __tsan_external_register_tag(const char* object_type);
void __tsan_external_assign_tag(void* addr, void* tag);
void __tsan_external_read(void* addr, void* caller_pc, void* tag);
void __tsan_external_write(void* addr, void* caller_pc, void* tag);
#else
void* __tsan_external_register_tag(const char*) { return nullptr; }
void __tsan_external_assign_tag(void*, void*) {}
void __tsan_external_read(void*, void*, void*) {}
void __tsan_external_write(void*, void*, void*) {}
#endif
}

namespace store {

void* const swift_tag = reinterpret_cast<void*>(1);
void* cursor_tag;
void* cursor;
void* balance;

void* cursor_open() {
  void* handle = std::malloc(16);
  __tsan_external_assign_tag(handle, cursor_tag);
  return handle;
}

__attribute__((noinline)) void cursor_step() {
  __tsan_external_write(cursor, __builtin_return_address(0), cursor_tag);
}

__attribute__((noinline)) void cursor_value() {
  __tsan_external_read(cursor, __builtin_return_address(0), cursor_tag);
}

__attribute__((noinline)) void balance_set() {
  __tsan_external_write(balance, __builtin_return_address(0), swift_tag);
}

__attribute__((noinline)) void balance_get() {
  __tsan_external_read(balance, __builtin_return_address(0), swift_tag);
}

void* writer(void*) {
  cursor_step();
  balance_set();
  return nullptr;
}

void* reader(void*) {
  cursor_value();
  balance_get();
  return nullptr;
}

}  // namespace store

int main() {
  pthread_t one, two;
  store::cursor_tag = __tsan_external_register_tag("Cursor");
  store::cursor = store::cursor_open();
  store::balance = std::malloc(8);
  pthread_create(&one, nullptr, store::writer, nullptr);
  pthread_create(&two, nullptr, store::reader, nullptr);
  pthread_join(one, nullptr);
  pthread_join(two, nullptr);
  return 0;
}
