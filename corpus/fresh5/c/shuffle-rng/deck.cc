#include "deck.h"

#include <random>

static std::minstd_rand engine(42);

int draw(int cards)
{
    unsigned long r = engine();
    return static_cast<int>(r % static_cast<unsigned long>(cards));
}
