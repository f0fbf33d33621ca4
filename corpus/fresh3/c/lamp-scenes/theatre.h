// Lamps of a theatre.
#pragma once

#include <memory>
#include <mutex>

struct Scene {
  long lamps;
  long watts;
};

class Theatre {
 public:
  const Scene* Current();

 private:
  const Scene* Design() const;

  std::mutex lock_;
  const Scene* scene_ = nullptr;
};

long Power(Theatre& theatre);
