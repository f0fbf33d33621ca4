// Wind for the pipes of an organ.
#pragma once

#include <mutex>

class Bellows {
 public:
  void Pump(long stroke);
  void Draw(long amount);
  long Pressure() const { return pressure_; }

 private:
  std::mutex lock_;
  long pressure_ = 40;
};

class Pipe {
 public:
  Pipe(Bellows& bellows, long needs) : bellows_(bellows), needs_(needs) {}
  bool Speak();

 private:
  Bellows& bellows_;
  const long needs_;
};
