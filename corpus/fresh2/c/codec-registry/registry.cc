#include "registry.h"

#include <unistd.h>

Registry* Registry::instance_ = nullptr;
const Codec* Registry::fallback_ = nullptr;

static Registry the_registry;
static const Codec the_codec = {"pcm", 1};

template <typename T>
static T* Load(T* ready) {
  usleep(4000);  // as long as reading the plug-ins takes
  return ready;
}

Registry* Registry::Get() {
  if (instance_ == nullptr) {
    instance_ = Load(&the_registry);
  }
  return instance_;
}

const Codec* Registry::Fallback() {
  if (fallback_ == nullptr) {
    fallback_ = Load(&the_codec);
  }
  return fallback_;
}
