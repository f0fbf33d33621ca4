#ifndef QUERY_H
#define QUERY_H

struct query {
    long rows;
    long state;
};

struct query *query_start(void);
long query_give_up(struct query *q);

#endif
