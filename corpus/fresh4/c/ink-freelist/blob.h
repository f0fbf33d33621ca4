#ifndef BLOB_H
#define BLOB_H

struct blob {
    struct blob *next;
    long colour;
    long amount;
};

struct blob *blob_take(void);
void blob_give(struct blob *b);
void blob_mix(struct blob *b, long colour, long amount);
long blob_dry(const struct blob *b);

#endif
