#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "mixer.h"

int main(void)
{
    float *out = calloc(2 * LANE + FADE, sizeof *out);
    struct lane lanes[2] = {{out, 0, 0.8f}, {out, LANE, 0.5f}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, mix_lane, &lanes[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", out[LANE] >= 0);
    free(out);
    return 0;
}
