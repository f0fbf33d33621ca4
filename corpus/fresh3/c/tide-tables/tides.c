#include "tides.h"

#include <unistd.h>

static const double levels[] = {1.2, 3.9, 0.8, 4.1, 1.0, 3.6};
enum { COUNT = sizeof levels / sizeof *levels };

static struct {
  double mean;
  double range;
} station;

static double sum(void) {
  double total = 0;
  for (int i = 0; i < COUNT; i++) {
    total += levels[i];
  }
  usleep(3000);
  return total;
}

static double widest(void) {
  double low = levels[0], high = levels[0];
  for (int i = 1; i < COUNT; i++) {
    low = levels[i] < low ? levels[i] : low;
    high = levels[i] > high ? levels[i] : high;
  }
  usleep(3000);
  return high - low;
}

double tides_mean(void) {
  if (station.mean == 0) {
    double total = sum();
    station.mean = total / COUNT;
  }
  return station.mean;
}

double tides_range(void) {
  if (station.range == 0) {
    double span = widest();
    station.range = span;
  }
  return station.range;
}
