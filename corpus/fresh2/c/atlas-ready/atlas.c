/* Glyphs are drawn once and found in an atlas from then on. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct atlas {
    int width;
    int height;
};

static struct atlas page = {512, 256};
static pthread_mutex_t atlas_lock = PTHREAD_MUTEX_INITIALIZER;
static int atlas_ready;
static struct atlas *atlas;

static void atlas_draw(void)
{
    usleep(3000);
    atlas = &page;
    atlas_ready = 1;
}

static struct atlas *atlas_get(void)
{
    if (!atlas_ready) {
        pthread_mutex_lock(&atlas_lock);
        if (!atlas_ready)
            atlas_draw();
        pthread_mutex_unlock(&atlas_lock);
    }
    return atlas;
}

static void *text_main(void *arg)
{
    usleep(*(unsigned *)arg);
    if (atlas_get() == NULL)
        puts("no atlas");
    return NULL;
}

int main(void)
{
    static unsigned after[] = {0, 12000};
    pthread_t texts[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&texts[i], NULL, text_main, &after[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(texts[i], NULL);
    puts("drawn");
    return 0;
}
