#include <stdio.h>

#include "forward.h"

int main(void)
{
    struct routes table;
    pthread_t threads[2];
    struct forwarder f[2] = {{&table, 0x0a000001, 0}, {&table, 0x0a000002, 0}};

    routes_init(&table);
    routes_add(&table, 0, 0, 0);
    routes_add(&table, 0x0a000000, 0xff000000, 1);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, forward_run, &f[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("dropped %d\n", f[0].dropped + f[1].dropped);
    routes_clear(&table);
    return 0;
}
