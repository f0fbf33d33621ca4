// What a tenant may keep.
#include <unistd.h>

#include <cstdio>
#include <thread>

class Quota {
 public:
  Quota(long bytes, int files) : limit_(bytes), most_(files) {}

  bool Reserve(long bytes) {
    if (used_ + bytes > limit_) {
      return false;
    }
    Write();
    used_ += bytes;
    return true;
  }

  bool ReserveFile() {
    if (files_ + 1 > most_) {
      return false;
    }
    Write();
    files_ += 1;
    return true;
  }

 private:
  static void Write() { usleep(3000); }

  const long limit_;
  const int most_;
  long used_ = 0;
  int files_ = 0;
};

static Quota quota(1000, 10);

static void Upload(long bytes) {
  if (!quota.ReserveFile() || !quota.Reserve(bytes)) {
    std::puts("full");
  }
}

int main() {
  std::thread first(Upload, 300L);
  std::thread second(Upload, 200L);
  first.join();
  second.join();
  std::puts("kept");
}
