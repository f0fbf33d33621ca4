#include "sender.h"

#include <unistd.h>

void Sender::run(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        while (spool_.take())
            ;
        usleep(1000);
    }
}
