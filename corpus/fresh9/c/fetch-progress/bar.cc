#include "bar.h"

#include <unistd.h>

int Bar::paint(int rounds)
{
    int last = 0;
    for (int i = 0; i < rounds; i++) {
        usleep(1500);
        last = of_.percent();
        stalls_ += of_.stalled(0);
    }
    return last;
}
