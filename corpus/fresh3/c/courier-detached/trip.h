// Trips of couriers.
#pragma once

#include <memory>
#include <vector>

struct Trip {
  long km = 0;
  long stops = 0;
};

class Dispatcher {
 public:
  explicit Dispatcher(bool blocked) : blocked_(blocked) {}
  long Send(int stops);

 private:
  static void Drive(Trip* trip, int stops);
  static long Invoice(const Trip& trip);

  const bool blocked_;
  std::vector<std::unique_ptr<Trip>> trips_;
};
