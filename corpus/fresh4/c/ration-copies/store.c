#include "store.h"

void store_sell(struct store *s, long flour, long sugar)
{
    pthread_mutex_lock(&s->lock);
    s->stock->flour -= flour;
    s->stock->sugar -= sugar;
    pthread_mutex_unlock(&s->lock);
}
