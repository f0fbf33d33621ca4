#ifndef NIC_H
#define NIC_H

void nic_send(int bytes);
long nic_sent(void);

#endif
