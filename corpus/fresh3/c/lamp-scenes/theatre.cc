#include "theatre.h"

#include <unistd.h>

const Scene* Theatre::Design() const {
  static Scene scene;
  usleep(3000);
  scene.lamps = 24;
  scene.watts = 575;
  return &scene;
}

const Scene* Theatre::Current() {
  if (scene_ == nullptr) {
    std::lock_guard<std::mutex> held(lock_);
    if (scene_ == nullptr) {
      scene_ = Design();
    }
  }
  return scene_;
}

long Power(Theatre& theatre) {
  const Scene* scene = theatre.Current();
  return scene->watts * 24;
}
