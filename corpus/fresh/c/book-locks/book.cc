// An order book with two sides that are traded independently.
#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <thread>

class Book {
 public:
  void Bid(long price) {
    std::lock_guard<std::mutex> hold(bids_lock_);
    bids_ += 1;
    last_ = price;
  }

  void Ask(long price) {
    std::lock_guard<std::mutex> hold(asks_lock_);
    asks_ += 1;
    last_ = price;
  }

 private:
  std::mutex bids_lock_;
  std::mutex asks_lock_;
  long bids_ = 0;
  long asks_ = 0;
  long last_ = 0;
};

static Book book;

static void Buyers() {
  for (long price = 100; price < 104; ++price) {
    usleep(3000);
    book.Bid(price);
  }
}

static void Sellers() {
  for (long price = 110; price > 106; --price) {
    usleep(3000);
    book.Ask(price);
  }
}

int main() {
  std::thread buyers(Buyers);
  std::thread sellers(Sellers);
  buyers.join();
  sellers.join();
  std::puts("closed");
}
