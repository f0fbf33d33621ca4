// Stations of a brewery work by themselves.
#pragma once

#include <thread>

class Station {
 public:
  virtual ~Station() = default;
  void Finish() { worker_.join(); }

 protected:
  void Start();
  virtual long Step() = 0;

 private:
  void Run();

  std::thread worker_;
  long done_ = 0;
};

class Kettle : public Station {
 public:
  Kettle(long target, long hops);

 protected:
  long Step() override;

 private:
  long target_;
  long hops_;
};
