// A library to be loaded before all others (LD_PRELOAD) into a program that keeps a database. It
// stands before the calls that write, flush, map, size and name files. It makes chosen ones fail on
// files whose names end in `.mdb`, or which lie in a folder, and records what the others do
// (Recorder.c). Without variables it hands every call on. Linux only. The tests
// compile it themselves, because the package manager builds such a library for a product alone.
//
// Variables of the environment:
//
//   SETTLE_FAULT_CALLS    The calls to fail, by name, with commas between: pread, write, pwrite,
//                         writev, pwritev, fsync, fdatasync, sync_file_range, msync, mmap, ftruncate,
//                         fallocate, posix_fallocate, open, rename, link, unlink. They are counted
//                         together. An msync names no file, so every one counts.
//   SETTLE_FAULT_FOLDER   Calls count on every file of this folder, and of those below, too.
//   SETTLE_FAULT_FIRST    The first call to fail, counted from 1. Default 1.
//   SETTLE_FAULT_COUNT    How many fail from there on; 0 for all. Default 1.
//   SETTLE_FAULT_ERROR    EIO, ENOSPC, EDQUOT or ENOMEM. Default EIO.
//   SETTLE_FAULT_MANNER   fail: the call is not made, and reports the error. late: it is made, and
//                         reports the error all the same, as a flush does whose cache was written.
//                         short: half of it is written and reported, without an error; for calls
//                         that do not write it is fail. kill: the process is killed before the
//                         call. Default fail.
//   SETTLE_FAULT_TRIGGER  A path. Calls count only while there is something.
//   SETTLE_FAULT_LOG      A file that gets a line for each failed call: name, number, path.
#define _GNU_SOURCE
#include "Recorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
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
    int kills;
    const char *trigger;
    const char *folder;
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
    plan.kills = getenv("SETTLE_FAULT_MANNER") && !strcmp(getenv("SETTLE_FAULT_MANNER"), "kill");
    plan.trigger = getenv("SETTLE_FAULT_TRIGGER");
    plan.folder = getenv("SETTLE_FAULT_FOLDER");
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

// Whether a path is that of a data or lock file, or lies in the folder.
static int is_path_watched(const char *path) {
    size_t length = strlen(path);
    if (plan.folder && !strncmp(path, plan.folder, strlen(plan.folder))) return 1;
    return length >= 4 && !strcmp(path + length - 4, ".mdb");
}

// The path of a descriptor, if its calls count.
static int is_watched(int file, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, size - 1);
    if (length < 4) return 0;
    path[length] = 0;
    return is_path_watched(path);
}

static enum verdict count_call(const char *call, const char *path) {
    enum verdict verdict = PASS;
    if (plan.trigger && access(plan.trigger, F_OK) != 0) return PASS;
    long count = atomic_fetch_add(&call_count, 1) + 1;
    if (count >= plan.first && (plan.count == 0 || count - plan.first < plan.count)) {
        verdict = plan.manner;
        if (plan.log >= 0) dprintf(plan.log, "%s %ld %s\n", call, count, path);
        if (plan.kills) raise(SIGKILL);
    }
    return verdict;
}

static enum verdict judge(const char *call, int file, int names_file) {
    if (!plan.calls || !is_chosen(call)) return PASS;
    int saved = errno;
    char path[4096] = "-";
    enum verdict verdict = PASS;
    if (!names_file || is_watched(file, path, sizeof path)) verdict = count_call(call, path);
    errno = saved;
    return verdict;
}

static enum verdict judge_path(const char *call, const char *path) {
    if (!plan.calls || !is_chosen(call) || !is_path_watched(path)) return PASS;
    int saved = errno;
    enum verdict verdict = count_call(call, path);
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

// Makes a call that writes at a place, and records it. `place` is evaluated with the lock held.
#define RECORDING_WRITE(call, parts, count, place) \
    ({ \
        ssize_t made; \
        if (!recorder_is_on()) { \
            made = call; \
        } else if (recorder_is_synced(file)) { \
            recorder_lock(); \
            uint64_t identifier = recorder_writes(file, parts, count, place); \
            recorder_unlock(); \
            made = call; \
            recorder_lock(); \
            recorder_ended_write(file, identifier, made); \
            recorder_unlock(); \
        } else { \
            recorder_lock(); \
            off_t begun = place; \
            made = call; \
            recorder_wrote(file, parts, count, made, begun); \
            recorder_unlock(); \
        } \
        made; \
    })

// A call that writes: `whole` is the call as asked for, `half` the same with half of the bytes.
#define WRITING(name, whole, half, parts, half_parts, count, half_count, place) \
    do { \
        NEXT(name); \
        switch (judge(#name, file, 1)) { \
        case PASS: return RECORDING_WRITE(whole, parts, count, place); \
        case SHORT: return RECORDING_WRITE(half, half_parts, half_count, place); \
        case LATE: (void)RECORDING_WRITE(whole, parts, count, place); break; \
        case FAIL: break; \
        } \
        FAIL_WITH(-1); \
    } while (0)

// A call that gives 0, or -1 and an error; `note` records what it did.
#define PLAIN(name, verdict_expression, whole, note) \
    do { \
        NEXT(name); \
        enum verdict verdict = verdict_expression; \
        int made = -1; \
        if (verdict == PASS || verdict == LATE) { \
            if (recorder_is_on()) { \
                recorder_lock(); \
                made = whole; \
                if (made == 0) note; \
                recorder_unlock(); \
            } else { \
                made = whole; \
            } \
        } \
        if (verdict == PASS) return made; \
        FAIL_WITH(-1); \
    } while (0)

// A call that flushes; one that fails by our choice has failed for the record, too.
#define FLUSHING(name, whole) \
    do { \
        NEXT(name); \
        enum verdict verdict = judge(#name, file, 1); \
        uint64_t identifier = 0; \
        if (recorder_is_on()) { \
            recorder_lock(); \
            identifier = recorder_flushes(file); \
            recorder_unlock(); \
        } \
        int made = verdict == PASS || verdict == LATE ? whole : -1; \
        if (verdict != PASS) made = -1; \
        if (recorder_is_on()) { \
            recorder_lock(); \
            recorder_flushed(file, identifier, made); \
            recorder_unlock(); \
        } \
        if (verdict == PASS) return made; \
        FAIL_WITH(-1); \
    } while (0)

ssize_t write(int file, const void *bytes, size_t count) {
    struct iovec whole = {(void *)(uintptr_t)bytes, count}, half = {whole.iov_base, count / 2};
    if (file == STDOUT_FILENO && recorder_is_on()) {
        NEXT(write);
        recorder_lock();
        recorder_marked(bytes, count);
        recorder_unlock();
        return next_write(file, bytes, count);
    }
    WRITING(
        write, next_write(file, bytes, count), next_write(file, bytes, count / 2), &whole, &half, 1, 1,
        recorder_position(file));
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    struct iovec whole = {(void *)(uintptr_t)bytes, count}, half = {whole.iov_base, count / 2};
    WRITING(
        pwrite, next_pwrite(file, bytes, count, offset), next_pwrite(file, bytes, count / 2, offset),
        &whole, &half, 1, 1, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    return pwrite(file, bytes, count, offset);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    struct iovec half = {parts[0].iov_base, parts[0].iov_len / 2};
    const struct iovec *fewer = count > 1 ? parts : &half;
    int fewer_count = count > 1 ? count / 2 : 1;
    WRITING(
        writev, next_writev(file, parts, count), next_writev(file, fewer, fewer_count), parts, fewer,
        count, fewer_count, recorder_position(file));
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
    struct iovec half = {parts[0].iov_base, parts[0].iov_len / 2};
    const struct iovec *fewer = count > 1 ? parts : &half;
    int fewer_count = count > 1 ? count / 2 : 1;
    WRITING(
        pwritev, next_pwritev(file, parts, count, offset),
        next_pwritev(file, fewer, fewer_count, offset), parts, fewer, count, fewer_count, offset);
}

ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t offset) {
    return pwritev(file, parts, count, offset);
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
    NEXT(pread);
    switch (judge("pread", file, 1)) {
    case PASS: return next_pread(file, bytes, count, offset);
    case SHORT: return next_pread(file, bytes, count / 2, offset);
    case LATE: (void)!next_pread(file, bytes, count, offset); break;
    case FAIL: break;
    }
    FAIL_WITH(-1);
}

ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) {
    return pread(file, bytes, count, offset);
}

int fsync(int file) { FLUSHING(fsync, next_fsync(file)); }

int fdatasync(int file) { FLUSHING(fdatasync, next_fdatasync(file)); }

// Asks for no flush of the device, so that it is none for the record.
int sync_file_range(int file, off64_t offset, off64_t count, unsigned int flags) {
    PLAIN(
        sync_file_range, judge("sync_file_range", file, 1),
        next_sync_file_range(file, offset, count, flags), (void)0);
}

int ftruncate(int file, off_t length) {
    PLAIN(
        ftruncate, judge("ftruncate", file, 1), next_ftruncate(file, length),
        recorder_truncated(file, NULL, length));
}

int ftruncate64(int file, off64_t length) { return ftruncate(file, length); }

int truncate(const char *path, off_t length) {
    PLAIN(
        truncate, judge_path("truncate", path), next_truncate(path, length),
        recorder_truncated(-1, path, length));
}

int truncate64(const char *path, off64_t length) { return truncate(path, length); }

int msync(void *start, size_t length, int flags) {
    PLAIN(msync, judge("msync", -1, 0), next_msync(start, length, flags), (void)0);
}

int fallocate(int file, int mode, off_t offset, off_t length) {
    PLAIN(
        fallocate, judge("fallocate", file, 1), next_fallocate(file, mode, offset, length),
        recorder_allocated(file, offset, length));
}

int fallocate64(int file, int mode, off64_t offset, off64_t length) {
    return fallocate(file, mode, offset, length);
}

int posix_fallocate(int file, off_t offset, off_t length) {
    NEXT(posix_fallocate);
    enum verdict verdict = judge("posix_fallocate", file, 1);
    int made = 0;
    if (verdict == PASS || verdict == LATE) {
        if (recorder_is_on()) recorder_lock();
        made = next_posix_fallocate(file, offset, length);
        if (recorder_is_on()) {
            if (made == 0) recorder_allocated(file, offset, length);
            recorder_unlock();
        }
    }
    // This one reports by its result.
    return verdict == PASS ? made : plan.error;
}

int posix_fallocate64(int file, off64_t offset, off64_t length) {
    return posix_fallocate(file, offset, length);
}

static int is_making(int flags) {
#ifdef O_TMPFILE
    if ((flags & O_TMPFILE) == O_TMPFILE) return 1;
#endif
    return (flags & O_CREAT) != 0;
}

int openat(int folder, const char *path, int flags, ...) {
    NEXT(openat);
    mode_t mode = 0;
    if (is_making(flags)) {
        va_list list;
        va_start(list, flags);
        mode = va_arg(list, mode_t);
        va_end(list);
    }
    if (judge_path("open", path) != PASS) FAIL_WITH(-1);
    if (!recorder_is_on()) return next_openat(folder, path, flags, mode);
    recorder_lock();
    int existed = recorder_exists(folder, path);
    int file = next_openat(folder, path, flags, mode);
    recorder_opened(file, existed, flags);
    recorder_unlock();
    return file;
}

#define OPENING(folder, path, flags) \
    do { \
        mode_t mode = 0; \
        if (is_making(flags)) { \
            va_list list; \
            va_start(list, flags); \
            mode = va_arg(list, mode_t); \
            va_end(list); \
        } \
        return openat(folder, path, flags, mode); \
    } while (0)

int open(const char *path, int flags, ...) { OPENING(AT_FDCWD, path, flags); }

int open64(const char *path, int flags, ...) { OPENING(AT_FDCWD, path, flags); }

int openat64(int folder, const char *path, int flags, ...) { OPENING(folder, path, flags); }

int creat(const char *path, mode_t mode) {
    return openat(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags) {
    PLAIN(
        renameat2, judge_path("rename", to), next_renameat2(from_folder, from, to_folder, to, flags),
        recorder_renamed(from_folder, from, to_folder, to));
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return renameat2(from_folder, from, to_folder, to, 0);
}

int rename(const char *from, const char *to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    PLAIN(
        linkat, judge_path("link", to), next_linkat(from_folder, from, to_folder, to, flags),
        recorder_linked(from_folder, from, to_folder, to));
}

int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int folder, const char *path, int flags) {
    PLAIN(
        unlinkat, judge_path("unlink", path), next_unlinkat(folder, path, flags),
        recorder_unlinked(folder, path));
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

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
