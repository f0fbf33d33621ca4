// A label that grows in one thread and is compared in another.
#include <poll.h>
#include <pthread.h>

#include <string>

static std::string* label;

static void extend(std::string& text) { text += "-beta"; }

static bool is_final(const std::string& text) { return text == "1.0"; }

static void* renamer(void*) {
  extend(*label);
  return nullptr;
}

static void* publisher(void*) {
  poll(nullptr, 0, 100);
  return reinterpret_cast<void*>(is_final(*label));
}

int main() {
  pthread_t one, two;
  label = new std::string("1.0");
  pthread_create(&one, nullptr, renamer, nullptr);
  pthread_create(&two, nullptr, publisher, nullptr);
  pthread_join(one, nullptr);
  pthread_join(two, nullptr);
  delete label;
  return 0;
}
