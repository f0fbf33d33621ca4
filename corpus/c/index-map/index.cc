// An index that is filled by one thread and searched by another without a lock.
#include <poll.h>
#include <pthread.h>

#include <map>

namespace search {

struct Index {
  std::map<int, int> terms;

  void add(int term, int page) { terms[term] = page; }
  bool knows(int term) const { return terms.find(term) != terms.end(); }
};

static Index index;

static void* indexer(void*) {
  index.add(7, 12);
  return nullptr;
}

static void* searcher(void*) {
  poll(nullptr, 0, 100);
  return reinterpret_cast<void*>(index.knows(7));
}

}  // namespace search

int main() {
  pthread_t one, two;
  pthread_create(&one, nullptr, search::indexer, nullptr);
  pthread_create(&two, nullptr, search::searcher, nullptr);
  pthread_join(one, nullptr);
  pthread_join(two, nullptr);
  return 0;
}
