// A library to be loaded before all others (LD_PRELOAD) into a program that keeps a database. It
// stands before the calls that write, flush, map and size files, and makes chosen ones fail on
// files whose names end in `.mdb`. Without variables it hands every call on. Linux only. The tests
// compile it themselves, because the package manager builds such a library for a product alone.
//
// Variables of the environment:
//
//   SETTLE_FAULT_CALLS    The calls to fail, by name, with commas between: pread, write, pwrite,
//                         writev, pwritev, fsync, fdatasync, msync, mmap, ftruncate,
//                         posix_fallocate. They are counted together. An msync names no file, so
//                         every one counts.
//   SETTLE_FAULT_FIRST    The first call to fail, counted from 1. Default 1.
//   SETTLE_FAULT_COUNT    How many fail from there on; 0 for all. Default 1.
//   SETTLE_FAULT_ERROR    EIO, ENOSPC, EDQUOT or ENOMEM. Default EIO.
//   SETTLE_FAULT_MANNER   fail: the call is not made, and reports the error. late: it is made, and
//                         reports the error all the same, as a flush does whose cache was written.
//                         short: half of it is written and reported, without an error; for calls
//                         that do not write it is fail. Default fail.
//   SETTLE_FAULT_TRIGGER  A path. Calls count only while there is something.
//   SETTLE_FAULT_LOG      A file that gets a line for each failed call: name, number, path.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum verdict { PASS, FAIL, LATE, SHORT };

static struct {
    const char *calls;
    long first;
    long count;
    int error;
    enum verdict manner;
    const char *trigger;
    int log;
} plan = {.log = -1};

static atomic_long call_count;

static long number(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

static int error_named(const char *name) {
    if (name && !strcmp(name, "ENOSPC")) return ENOSPC;
    if (name && !strcmp(name, "EDQUOT")) return EDQUOT;
    if (name && !strcmp(name, "ENOMEM")) return ENOMEM;
    return EIO;
}

static enum verdict manner_named(const char *name) {
    if (name && !strcmp(name, "late")) return LATE;
    if (name && !strcmp(name, "short")) return SHORT;
    return FAIL;
}

__attribute__((constructor)) static void read_plan(void) {
    plan.first = number("SETTLE_FAULT_FIRST", 1);
    plan.count = number("SETTLE_FAULT_COUNT", 1);
    plan.error = error_named(getenv("SETTLE_FAULT_ERROR"));
    plan.manner = manner_named(getenv("SETTLE_FAULT_MANNER"));
    plan.trigger = getenv("SETTLE_FAULT_TRIGGER");
    const char *log = getenv("SETTLE_FAULT_LOG");
    if (log) plan.log = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    // Last, because from here on calls are judged.
    plan.calls = getenv("SETTLE_FAULT_CALLS");
}

static int is_chosen(const char *call) {
    size_t length = strlen(call);
    const char *place = plan.calls;
    while (place) {
        if (!strncmp(place, call, length) && (place[length] == ',' || place[length] == 0)) return 1;
        place = strchr(place, ',');
        if (place) place++;
    }
    return 0;
}

// The path of a descriptor, if it ends as a data or lock file does.
static int is_watched(int file, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, size - 1);
    if (length < 4) return 0;
    path[length] = 0;
    return !strcmp(path + length - 4, ".mdb");
}

static enum verdict judge(const char *call, int file, int names_file) {
    if (!plan.calls || !is_chosen(call)) return PASS;
    int saved = errno;
    char path[4096] = "-";
    enum verdict verdict = PASS;
    if ((!names_file || is_watched(file, path, sizeof path))
        && (!plan.trigger || access(plan.trigger, F_OK) == 0)) {
        long count = atomic_fetch_add(&call_count, 1) + 1;
        if (count >= plan.first && (plan.count == 0 || count - plan.first < plan.count)) {
            verdict = plan.manner;
            if (plan.log >= 0) dprintf(plan.log, "%s %ld %s\n", call, count, path);
        }
    }
    errno = saved;
    return verdict;
}

static void *next(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

// The function of this name that would have been called without this library.
#define NEXT(name) \
    static __typeof__(&name) next_##name; \
    if (!next_##name) next_##name = (__typeof__(&name))next(#name)

#define FAIL_WITH(value) \
    do { \
        errno = plan.error; \
        return value; \
    } while (0)

// A call that writes: `whole` is the call as asked for, `half` the same with half of the bytes.
#define WRITING(name, whole, half) \
    do { \
        NEXT(name); \
        switch (judge(#name, file, 1)) { \
        case PASS: return whole; \
        case SHORT: return half; \
        case LATE: (void)!whole; break; \
        case FAIL: break; \
        } \
        FAIL_WITH(-1); \
    } while (0)

// A call that gives 0, or -1 and an error.
#define PLAIN(name, whole, names_file) \
    do { \
        NEXT(name); \
        enum verdict verdict = judge(#name, file, names_file); \
        if (verdict == PASS) return whole; \
        if (verdict == LATE) (void)!whole; \
        FAIL_WITH(-1); \
    } while (0)

ssize_t write(int file, const void *bytes, size_t count) {
    WRITING(write, next_write(file, bytes, count), next_write(file, bytes, count / 2));
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    WRITING(
        pwrite, next_pwrite(file, bytes, count, offset),
        next_pwrite(file, bytes, count / 2, offset));
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    return pwrite(file, bytes, count, offset);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    struct iovec half = {parts[0].iov_base, parts[0].iov_len / 2};
    WRITING(
        writev, next_writev(file, parts, count),
        count > 1 ? next_writev(file, parts, count / 2) : next_writev(file, &half, 1));
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
    struct iovec half = {parts[0].iov_base, parts[0].iov_len / 2};
    WRITING(
        pwritev, next_pwritev(file, parts, count, offset),
        count > 1 ? next_pwritev(file, parts, count / 2, offset)
                  : next_pwritev(file, &half, 1, offset));
}

ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t offset) {
    return pwritev(file, parts, count, offset);
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
    WRITING(
        pread, next_pread(file, bytes, count, offset),
        next_pread(file, bytes, count / 2, offset));
}

ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) {
    return pread(file, bytes, count, offset);
}

int fsync(int file) { PLAIN(fsync, next_fsync(file), 1); }

int fdatasync(int file) { PLAIN(fdatasync, next_fdatasync(file), 1); }

int ftruncate(int file, off_t length) { PLAIN(ftruncate, next_ftruncate(file, length), 1); }

int ftruncate64(int file, off64_t length) { return ftruncate(file, length); }

int msync(void *start, size_t length, int flags) {
    const int file = -1;
    PLAIN(msync, next_msync(start, length, flags), 0);
}

int posix_fallocate(int file, off_t offset, off_t length) {
    NEXT(posix_fallocate);
    enum verdict verdict = judge("posix_fallocate", file, 1);
    if (verdict == PASS) return next_posix_fallocate(file, offset, length);
    if (verdict == LATE) (void)next_posix_fallocate(file, offset, length);
    // This one reports by its result.
    return plan.error;
}

int posix_fallocate64(int file, off64_t offset, off64_t length) {
    return posix_fallocate(file, offset, length);
}

void *mmap(void *start, size_t length, int protection, int flags, int file, off_t offset) {
    NEXT(mmap);
    if (file < 0 || judge("mmap", file, 1) == PASS) {
        return next_mmap(start, length, protection, flags, file, offset);
    }
    // There is no late mapping: nobody could take it away again.
    FAIL_WITH(MAP_FAILED);
}

void *mmap64(void *start, size_t length, int protection, int flags, int file, off64_t offset) {
    return mmap(start, length, protection, flags, file, offset);
}
