// A constructor starts its thread before the last field is set; a subclass reads it.
#include <thread>

class Engine {
 public:
  Engine() : worker_(&Engine::run, this) { rate_ = 60; }
  virtual ~Engine() { worker_.join(); }
  int seen() const { return seen_; }

 private:
  void run() { seen_ = rate_; }

  int seen_ = 0;
  int rate_ = 0;
  std::thread worker_;
};

int main() {
  auto* engine = new Engine;
  delete engine;
  return 0;
}
