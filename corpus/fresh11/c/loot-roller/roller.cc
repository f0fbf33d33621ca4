#include "roller.h"

int roller::roll(int sides)
{
    return 1 + static_cast<int>(engine() % static_cast<unsigned>(sides));
}
