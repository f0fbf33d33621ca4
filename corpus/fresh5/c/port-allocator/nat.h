#ifndef NAT_H
#define NAT_H

int nat_take(void);
void nat_free(int port);

#endif
