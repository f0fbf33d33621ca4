#include <cstdio>

#include "verify.h"

int main()
{
    std::vector<Shard> shards;
    for (int id = 0; id < 4; id++)
        shards.push_back(Shard{id, {id, id * 2, id * 3}});
    Verifier verifier(std::move(shards));
    std::printf("bad: %d\n", verifier.run() >= 0);
    return 0;
}
