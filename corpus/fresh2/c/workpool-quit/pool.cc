#include "pool.h"

#include <unistd.h>

#include <utility>

Pool::Pool(int threads) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back(&Pool::Work, this);
  }
}

Pool::~Pool() {
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void Pool::Post(Task task) {
  std::lock_guard<std::mutex> hold(lock_);
  tasks_.push(std::move(task));
}

bool Pool::Next(Task* task) {
  std::lock_guard<std::mutex> hold(lock_);
  if (tasks_.empty()) {
    return false;
  }
  *task = std::move(tasks_.front());
  tasks_.pop();
  return true;
}

void Pool::Work() {
  while (!quit_) {
    Task task;
    if (Next(&task)) {
      task();
      done_ += 1;
    }
    usleep(2000);
  }
}

void Pool::Quit() {
  quit_ = true;
}

long Pool::Done() const {
  return done_;
}
