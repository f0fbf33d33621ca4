#ifndef LEDGER_H
#define LEDGER_H

#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    long cents;
};

struct ledger {
    pthread_mutex_t lock;
    struct account *accounts[2];
};

struct ledger *ledger_open(void);
void ledger_fee(struct ledger *l, long cents);
void account_deposit(struct account *a, long cents);

#endif
