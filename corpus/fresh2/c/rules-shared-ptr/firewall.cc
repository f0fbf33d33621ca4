// Rules are replaced while packets are judged.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <thread>

struct Rules {
  int version;
  int allowed;
};

class Firewall {
 public:
  explicit Firewall(std::shared_ptr<Rules> rules) : rules_(std::move(rules)) {}

  std::shared_ptr<Rules> Current() const {
    return rules_;
  }

  void Replace(std::shared_ptr<Rules> rules) {
    rules_.swap(rules);
  }

 private:
  std::shared_ptr<Rules> rules_;
};

static auto before = std::make_shared<Rules>(Rules{1, 80});
static auto after = std::make_shared<Rules>(Rules{2, 443});
static Firewall firewall(before);

static bool Judge(int port) {
  std::shared_ptr<Rules> rules = firewall.Current();
  return rules->allowed == port;
}

static void Judges() {
  for (int i = 0; i < 4; ++i) {
    usleep(3000);
    Judge(443);
  }
}

int main() {
  std::thread judges(Judges);
  usleep(8000);
  firewall.Replace(after);
  judges.join();
  std::puts("judged");
}
