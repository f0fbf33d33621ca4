// Splits text into words that a lexicon knows; there is one for the whole process.
#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <thread>

class Lexicon {
 public:
  static Lexicon* Shared() {
    if (Lexicon* known = shared_) {
      return known;
    }
    std::lock_guard<std::mutex> hold(mutex_);
    if (shared_ == nullptr) {
      Publish(Load());
    }
    return shared_;
  }

  int words() const { return 3; }

 private:
  static Lexicon* Load() {
    usleep(4000);
    static Lexicon lexicon;
    return &lexicon;
  }

  static void Publish(Lexicon* made) {
    shared_ = made;
  }

  static Lexicon* shared_;
  static std::mutex mutex_;
};

Lexicon* Lexicon::shared_ = nullptr;
std::mutex Lexicon::mutex_;

static void Tokenize(int delay) {
  usleep(delay);
  if (Lexicon::Shared()->words() != 3) std::puts("too few words");
}

int main() {
  std::thread first(Tokenize, 1000);
  std::thread second(Tokenize, 12000);
  first.join();
  second.join();
  std::puts("done");
}
