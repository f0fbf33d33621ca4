#include <unistd.h>

#include <cstdio>
#include <memory>
#include <thread>

#include "kennel.h"

static void warden(std::shared_ptr<Kennel> kennel) {
  for (const char* name : {"Rex", "Bo", "Kim"}) {
    usleep(5000);
    kennel->admit(name);
  }
  usleep(20000);
}

int main() {
  auto kennel = std::make_shared<Kennel>();
  std::thread staff(warden, kennel);
  usleep(8000);
  long n = kennel->size();
  long last = kennel->newest();
  staff.join();
  std::printf("%d\n", n <= 3 && last < 3);
}
