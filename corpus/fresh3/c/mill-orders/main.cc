#include <unistd.h>

#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "mill.h"

namespace {

void Cart(Mill& mill, int farmer, useconds_t road) {
  for (int trip = 1; trip <= 2; ++trip) {
    usleep(road);
    mill.Deliver(Sack{farmer, 40 * trip});
  }
}

}  // namespace

int main() {
  auto mill = std::make_unique<Mill>();
  std::vector<std::thread> carts;
  for (int farmer = 0; farmer < 2; ++farmer) {
    carts.emplace_back(Cart, std::ref(*mill), farmer, 3000 + 2000 * farmer);
  }
  for (auto& cart : carts) {
    cart.join();
  }
  std::puts(mill->Grind() > 0 ? "flour" : "nothing");
}
