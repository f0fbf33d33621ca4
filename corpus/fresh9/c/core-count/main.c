#include <pthread.h>
#include <stdio.h>

#include "plan.h"

int main(void)
{
    struct plan plans[3] = {{100, 0}, {1000, 0}, {77, 0}};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, plan_make, &plans[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("planned: %d\n", plans[0].chunk > 0);
    return 0;
}
