// Keeps the tiles of a map that were drawn last.
#include <unistd.h>

#include <cstdio>
#include <map>
#include <thread>

struct Tile {
  int zoom;
  int size;
};

class TileCache {
 public:
  const Tile* Find(int key) {
    auto found = tiles_.find(key);
    if (found == tiles_.end()) {
      return nullptr;
    }
    hits_ += 1;
    return &found->second;
  }

  void Insert(int key, const Tile& tile) {
    tiles_.insert({key, tile});
    hits_ = 0;
  }

 private:
  std::map<int, Tile> tiles_;
  long hits_ = 0;
};

static TileCache cache;

static void Load() {
  for (int key = 2; key < 4; ++key) {
    usleep(4000);
    cache.Insert(key, Tile{3, 256});
  }
}

int main() {
  cache.Insert(1, Tile{1, 256});
  std::thread loader(Load);
  for (int i = 0; i < 3; ++i) {
    usleep(3000);
    cache.Find(1);
  }
  loader.join();
  std::puts("painted");
}
