// Three locks taken in a ring: index before table, table before log, log before index.
#include <mutex>
#include <thread>

namespace ledger {

std::mutex index_mutex, table_mutex, log_mutex;

void update_index() {
  std::lock_guard<std::mutex> first(index_mutex);
  std::lock_guard<std::mutex> second(table_mutex);
}

void append_row() {
  std::lock_guard<std::mutex> first(table_mutex);
  std::lock_guard<std::mutex> second(log_mutex);
}

void replay_log() {
  std::lock_guard<std::mutex> first(log_mutex);
  std::lock_guard<std::mutex> second(index_mutex);
}

}  // namespace ledger

int main() {
  std::thread(ledger::update_index).join();
  std::thread(ledger::append_row).join();
  std::thread(ledger::replay_log).join();
  return 0;
}
