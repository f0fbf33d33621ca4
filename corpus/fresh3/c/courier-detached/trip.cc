#include "trip.h"

#include <unistd.h>

#include <thread>

void Dispatcher::Drive(Trip* trip, int stops) {
  for (int i = 0; i < stops; ++i) {
    usleep(4000);
    trip->km += 12;
    trip->stops += 1;
  }
}

long Dispatcher::Invoice(const Trip& trip) {
  long km = trip.km;
  long stops = trip.stops;
  return 3 * km + 5 * stops;
}

long Dispatcher::Send(int stops) {
  trips_.push_back(std::make_unique<Trip>());
  Trip* trip = trips_.back().get();
  std::thread courier(Drive, trip, stops);
  if (blocked_) {
    usleep(6000);
    courier.detach();
    return Invoice(*trip);
  }
  courier.join();
  return Invoice(*trip);
}
