#include "pool.h"

#include <utility>

Pool::Pool(int threads, Task after_each) : after_each_(std::move(after_each)) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back(&Pool::run, this);
  }
}

Pool::~Pool() {
  {
    std::lock_guard<std::mutex> hold(mutex_);
    stopping_ = true;
    wake_.notify_all();
  }
  for (auto& thread : threads_) {
    thread.join();
  }
}

void Pool::post(Task task) {
  std::lock_guard<std::mutex> hold(mutex_);
  tasks_.push_back(std::move(task));
  ++open_;
  wake_.notify_one();
}

bool Pool::next(Task* task) {
  std::unique_lock<std::mutex> hold(mutex_);
  while (tasks_.empty() && !stopping_) {
    wake_.wait(hold);
  }
  if (tasks_.empty()) {
    return false;
  }
  *task = std::move(tasks_.front());
  tasks_.pop_front();
  return true;
}

void Pool::finish() {
  std::lock_guard<std::mutex> hold(mutex_);
  if (--open_ == 0) {
    idle_.notify_all();
  }
}

void Pool::run() {
  Task task;
  while (next(&task)) {
    task();
    finish();
    after_each_();
  }
}

void Pool::wait_idle() {
  std::unique_lock<std::mutex> hold(mutex_);
  while (open_ > 0) {
    idle_.wait(hold);
  }
}
