#include <stdio.h>
#include <unistd.h>

#include "camera.h"

int main(void)
{
    pthread_t thread;
    struct camera cam = {ring_new(16), 10};
    struct frame f;
    size_t most = 0;

    pthread_create(&thread, NULL, camera_run, &cam);
    for (int i = 0; i < 5; i++) {
        usleep(1500);
        size_t n = ring_produced(cam.out);
        if (n > most)
            most = n;
    }
    pthread_join(thread, NULL);
    while (ring_pop(cam.out, &f))
        ;
    printf("last frame %lu\n", f.stamp);
    ring_free(cam.out);
    return most == 0;
}
