#include "ledger.h"

#include <stdlib.h>

struct ledger *ledger_open(void)
{
    struct ledger *l = calloc(1, sizeof(*l));
    pthread_mutex_init(&l->lock, NULL);
    for (int i = 0; i < 2; i++) {
        l->accounts[i] = calloc(1, sizeof(struct account));
        pthread_mutex_init(&l->accounts[i]->lock, NULL);
    }
    return l;
}

void account_deposit(struct account *a, long cents)
{
    pthread_mutex_lock(&a->lock);
    a->cents += cents;
    pthread_mutex_unlock(&a->lock);
}

void ledger_fee(struct ledger *l, long cents)
{
    pthread_mutex_lock(&l->lock);
    for (int i = 0; i < 2; i++)
        l->accounts[i]->cents -= cents;
    pthread_mutex_unlock(&l->lock);
}
