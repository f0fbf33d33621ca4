// Asks a device for its readings, again and again.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

class Poller {
 public:
  Poller(int limit, int backoff) {
    pthread_create(&thread_, nullptr, &Poller::Entry, this);
    OpenDevice();
    limit_ = limit;
    backoff_ = backoff;
  }

  ~Poller() { pthread_join(thread_, nullptr); }

 private:
  static void* Entry(void* self) {
    static_cast<Poller*>(self)->Run();
    return nullptr;
  }

  static void OpenDevice() { usleep(6000); }

  void Run() {
    for (int round = 0; round < 5; ++round) {
      usleep(2500);
      if (Exhausted(round)) return;
      Pause();
    }
  }

  bool Exhausted(int round) const {
    return limit_ != 0 && round > limit_;
  }

  void Pause() const {
    int pause = backoff_;
    if (pause > 0) usleep(pause);
  }

  pthread_t thread_;
  int limit_;
  long readings_ = 0;
  int backoff_;
  const char* device_ = "/dev/null";
};

int main() {
  std::unique_ptr<Poller> poller(new Poller(3, 100));
  usleep(1000);
  std::puts("polling");
}
