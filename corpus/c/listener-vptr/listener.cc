// A listener is destroyed while the bus still calls it: the destructor rewrites the vptr that the call reads.
#include <pthread.h>
#include <semaphore.h>

namespace bus {

class Listener {
 public:
  Listener() { sem_init(&gone_, 0, 0); }
  virtual ~Listener() {
    sem_wait(&gone_);
    sem_destroy(&gone_);
  }
  virtual void on_event(int code) { last_ = code; }
  void release() { sem_post(&gone_); }

 private:
  sem_t gone_;
  int last_ = 0;
};

class AuditListener : public Listener {
 public:
  void on_event(int code) override { seen_ += code; }

 private:
  int seen_ = 0;
};

void dispatch(Listener* target, int code) { target->on_event(code); }

void* deliver(void* arg) {
  auto* target = static_cast<Listener*>(arg);
  dispatch(target, 7);
  target->release();
  return nullptr;
}

}  // namespace bus

int main() {
  bus::Listener* listener = new bus::AuditListener;
  pthread_t thread;
  pthread_create(&thread, nullptr, bus::deliver, listener);
  delete listener;
  pthread_join(thread, nullptr);
  return 0;
}
