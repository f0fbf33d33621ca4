#include <stdio.h>
#include <unistd.h>

#include "ledger.h"

static void *teller(void *arg)
{
    for (int i = 0; i < 4; i++) {
        account_deposit(arg, 100);
        usleep(3000);
    }
    usleep(20000);
    return NULL;
}

int main(void)
{
    struct ledger *books = ledger_open();
    pthread_t tid;
    pthread_create(&tid, NULL, teller, books->accounts[0]);
    usleep(7000);
    ledger_fee(books, 5);
    pthread_join(tid, NULL);
    puts("closed");
    return 0;
}
