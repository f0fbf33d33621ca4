/* Makes the k-th write below a folder fail as on a full disk, or end the process. Loaded with LD_PRELOAD.
 *
 * A write is whatever changes a folder or a file: open with O_CREAT, write, rename, link, mkdir, unlink, fsync. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { OFF, FULL, KILL };

static atomic_int count, first, mode;
static char root[PATH_MAX];

/* Count the writes below a folder, and from the k-th on let them fail, or end the process at the k-th. */
void failing_writes_set(const char *folder, int k, int what) {
    snprintf(root, sizeof root, "%s/", folder);
    count = 0;
    first = k;
    mode = what;
}

int failing_writes_count(void) { return count; }

static int fails(const char *path, int needs_space) {
    char full[PATH_MAX];
    if (!root[0] || !path) return 0;
    if (path[0] != '/') {
        if (!realpath(path, full)) return 0;
        path = full;
    }
    size_t length = strlen(root);
    if (strncmp(path, root, length) && strncmp(path, root, length - 1)) return 0;
    int number = ++count;
    if (mode == KILL && number == first) _exit(9);
    if (mode == FULL && number >= first && needs_space) {
        errno = ENOSPC;
        return 1;
    }
    return 0;
}

static int fd_fails(int fd, int needs_space) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0 || path[0] != '/') return 0;
    path[length] = 0;
    return fails(path, needs_space);
}

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))
#define OPEN(name)                                                                              \
    int name(const char *path, int flags, ...) {                                                \
        va_list rest;                                                                           \
        va_start(rest, flags);                                                                  \
        mode_t bits = flags & O_CREAT ? va_arg(rest, mode_t) : 0;                               \
        va_end(rest);                                                                           \
        if (flags & O_CREAT && fails(path, 1)) return -1;                                       \
        return REAL(name)(path, flags, bits);                                                   \
    }
#define OPENAT(name)                                                                            \
    int name(int folder, const char *path, int flags, ...) {                                    \
        va_list rest;                                                                           \
        va_start(rest, flags);                                                                  \
        mode_t bits = flags & O_CREAT ? va_arg(rest, mode_t) : 0;                               \
        va_end(rest);                                                                           \
        if (flags & O_CREAT && fails(path, 1)) return -1;                                       \
        return REAL(name)(folder, path, flags, bits);                                           \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int fd, const void *data, size_t size) { return fd_fails(fd, 1) ? -1 : REAL(write)(fd, data, size); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    return fd_fails(fd, 1) ? -1 : REAL(pwrite)(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    return fd_fails(fd, 1) ? -1 : REAL(pwrite64)(fd, data, size, at);
}
int fsync(int fd) { return fd_fails(fd, 1) ? -1 : REAL(fsync)(fd); }
int rename(const char *from, const char *to) { return fails(to, 1) ? -1 : REAL(rename)(from, to); }
int link(const char *from, const char *to) { return fails(to, 1) ? -1 : REAL(link)(from, to); }
int linkat(int a, const char *from, int b, const char *to, int flags) {
    return fails(to, 1) ? -1 : REAL(linkat)(a, from, b, to, flags);
}
int mkdir(const char *path, mode_t bits) { return fails(path, 1) ? -1 : REAL(mkdir)(path, bits); }
int unlink(const char *path) { return fails(path, 0) ? -1 : REAL(unlink)(path); }
int unlinkat(int folder, const char *path, int flags) {
    return fails(path, 0) ? -1 : REAL(unlinkat)(folder, path, flags);
}
