// The functions below have the names of the system's own. The linker finds those of the executable
// first, also for liblmdb and libsqlite3, so every flush passes here and is counted on its way.

#ifdef __linux__
#define _GNU_SOURCE
#endif

#include "Flushes.h"

#ifdef __linux__

#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_ullong flushes;

int flushes_are_counted(void) { return 1; }

unsigned long long flushes_count(void) { return atomic_load(&flushes); }

/// Looks up the system's function of that name, once.
#define SYSTEM(name)                                                     \
    static _Atomic(__typeof__(&name)) found;                             \
    __typeof__(&name) system_##name = atomic_load(&found);               \
    if (system_##name == NULL) {                                         \
        system_##name = (__typeof__(&name))dlsym(RTLD_NEXT, #name);      \
        atomic_store(&found, system_##name);                             \
    }

static void count(void) { atomic_fetch_add_explicit(&flushes, 1, memory_order_relaxed); }

/// A write to such a descriptor returns when the data is on the disk: a flush by another name.
static void count_if_synchronous(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    // O_SYNC contains the bit of O_DSYNC.
    if (flags != -1 && (flags & O_DSYNC)) count();
}

int fsync(int descriptor) {
    SYSTEM(fsync)
    count();
    return system_fsync(descriptor);
}

int fdatasync(int descriptor) {
    SYSTEM(fdatasync)
    count();
    return system_fdatasync(descriptor);
}

int msync(void *address, size_t length, int flags) {
    SYSTEM(msync)
    if (flags & MS_SYNC) count();
    return system_msync(address, length, flags);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    SYSTEM(pwrite)
    count_if_synchronous(descriptor);
    return system_pwrite(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    SYSTEM(pwrite64)
    count_if_synchronous(descriptor);
    return system_pwrite64(descriptor, bytes, count, offset);
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
    SYSTEM(pwritev)
    count_if_synchronous(descriptor);
    return system_pwritev(descriptor, parts, count, offset);
}

ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
    SYSTEM(pwritev64)
    count_if_synchronous(descriptor);
    return system_pwritev64(descriptor, parts, count, offset);
}

#else

int flushes_are_counted(void) { return 0; }

unsigned long long flushes_count(void) { return 0; }

#endif
