// Records what a program does to the files of a folder, in the order in which it does it.
//
// Variables of the environment:
//
//   SETTLE_TRACE         The file that gets the records. Nothing is recorded without it.
//   SETTLE_TRACE_FOLDER  The folder; files in folders below it count too.
//
// Several threads and processes record into one file: a step and its record are made with a lock held
// that all of them share. A flush, and a write that flushes, are made without it and have two records,
// so that what others write meanwhile is seen between the two, as the disk sees it. What goes through a map
// is not seen. A record is whole or not there: a process that is killed leaves at most the last one cut.
#define _GNU_SOURCE
#include "Recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    int file;
    char folder[PATH_MAX];
    size_t folder_length;
} trace = {.file = -1};

static pthread_mutex_t steps = PTHREAD_MUTEX_INITIALIZER;
static atomic_ulong identifiers;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("SETTLE_TRACE");
    const char *folder = getenv("SETTLE_TRACE_FOLDER");
    if (!path || !folder || !realpath(folder, trace.folder)) return;
    trace.folder_length = strlen(trace.folder);
    // By the system call: this library's own `open` would record it.
    trace.file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

int recorder_is_on(void) { return trace.file >= 0; }

void recorder_lock(void) {
    int saved = errno;
    pthread_mutex_lock(&steps);
    while (flock(trace.file, LOCK_EX) < 0 && errno == EINTR) {}
    errno = saved;
}

void recorder_unlock(void) {
    int saved = errno;
    flock(trace.file, LOCK_UN);
    pthread_mutex_unlock(&steps);
    errno = saved;
}

static void append(
    struct record *record, const char *path, const char *other, const struct iovec *parts, int count,
    uint64_t byte_count) {
    record->magic = RECORD_MAGIC;
    record->process = (uint32_t)getpid();
    record->path_length = path ? (uint16_t)strlen(path) : 0;
    record->other_path_length = other ? (uint32_t)strlen(other) : 0;
    size_t size = sizeof *record + record->path_length + record->other_path_length + byte_count;
    char *bytes = malloc(size), *place = bytes;
    if (!bytes) abort();
    memcpy(place, record, sizeof *record);
    place += sizeof *record;
    if (path) memcpy(place, path, record->path_length);
    place += record->path_length;
    if (other) memcpy(place, other, record->other_path_length);
    place += record->other_path_length;
    for (int part = 0; part < count && byte_count > 0; part++) {
        size_t length = parts[part].iov_len < byte_count ? parts[part].iov_len : byte_count;
        memcpy(place, parts[part].iov_base, length);
        place += length;
        byte_count -= length;
    }
    for (size_t written = 0; written < size;) {
        ssize_t result = syscall(SYS_write, trace.file, bytes + written, size - written);
        if (result < 0 && errno != EINTR) abort();
        if (result > 0) written += (size_t)result;
    }
    free(bytes);
}

static int is_inside(const char *path) {
    return !strncmp(path, trace.folder, trace.folder_length)
        && (path[trace.folder_length] == '/' || path[trace.folder_length] == 0);
}

// The path of a descriptor, if it is that of a file or folder that is recorded.
static int path_of(int file, char *path, uint64_t *number) {
    char link[64];
    struct stat status;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    const char *deleted = " (deleted)";
    size_t tail = strlen(deleted);
    if ((size_t)length > tail && !strcmp(path + length - tail, deleted)) path[length - tail] = 0;
    if (!is_inside(path) || fstat(file, &status) != 0) return 0;
    *number = status.st_ino;
    return 1;
}

// The path of a name in a folder, if it is recorded. The name itself is not followed.
static int path_named(int folder, const char *name, char *path) {
    char whole[PATH_MAX], real[PATH_MAX];
    if (name[0] == '/' || folder == AT_FDCWD) {
        snprintf(whole, sizeof whole, "%s", name);
    } else {
        char link[64], base[PATH_MAX];
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t length = readlink(link, base, sizeof base - 1);
        if (length <= 0) return 0;
        base[length] = 0;
        if (snprintf(whole, sizeof whole, "%s/%s", base, name) >= (int)sizeof whole) return 0;
    }
    char *slash = strrchr(whole, '/');
    const char *last = slash ? slash + 1 : whole;
    char saved_last[NAME_MAX + 1];
    snprintf(saved_last, sizeof saved_last, "%s", last);
    if (slash) *slash = 0;
    if (!realpath(slash ? (whole[0] ? whole : "/") : ".", real)) return 0;
    if (snprintf(path, PATH_MAX, "%s/%s", real, saved_last) >= PATH_MAX) return 0;
    return is_inside(path);
}

// Every function below leaves errno as it was: the call that it stands beside has set it.
#define KEEPING_ERRNO(body) \
    do { \
        int saved = errno; \
        body; \
        errno = saved; \
    } while (0)

int recorder_exists(int folder, const char *path) {
    int result = 0;
    KEEPING_ERRNO(result = faccessat(folder, path, F_OK, 0) == 0);
    return result;
}

void recorder_opened(int file, int existed, int flags) {
    char path[PATH_MAX];
    struct record record = {.kind = RECORD_OPEN};
    struct stat status;
    if (file < 0) return;
    KEEPING_ERRNO({
        // A folder is opened to be flushed; it has no bytes.
        if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)
            && path_of(file, path, &record.file)) {
            if (!existed && (flags & O_CREAT)) record.flags |= RECORD_CREATED;
            if (existed && (flags & O_TRUNC)) record.flags |= RECORD_TRUNCATED;
            append(&record, path, NULL, NULL, 0, 0);
        }
    });
}

off_t recorder_position(int file) {
    off_t position = 0;
    KEEPING_ERRNO({
        struct stat status;
        if ((fcntl(file, F_GETFL) & O_APPEND) && fstat(file, &status) == 0) {
            position = status.st_size;
        } else {
            position = lseek(file, 0, SEEK_CUR);
        }
    });
    return position;
}

int recorder_is_synced(int file) {
    int flags = 0;
    KEEPING_ERRNO(flags = fcntl(file, F_GETFL));
    return flags >= 0 && (flags & (O_DSYNC | O_SYNC)) != 0;
}

void recorder_wrote(int file, const struct iovec *parts, int count, ssize_t result, off_t offset) {
    char path[PATH_MAX];
    struct record record = {.kind = RECORD_WRITE, .offset = (uint64_t)offset};
    if (result <= 0) return;
    KEEPING_ERRNO({
        if (path_of(file, path, &record.file)) {
            record.length = (uint64_t)result;
            append(&record, path, NULL, parts, count, record.length);
        }
    });
}

uint64_t recorder_writes(int file, const struct iovec *parts, int count, off_t offset) {
    char path[PATH_MAX];
    struct record record = {.kind = RECORD_WRITE, .flags = RECORD_SYNCED, .offset = (uint64_t)offset};
    KEEPING_ERRNO({
        if (path_of(file, path, &record.file)) {
            record.identifier = (uint64_t)getpid() << 32 | (atomic_fetch_add(&identifiers, 1) + 1);
            for (int part = 0; part < count; part++) record.length += parts[part].iov_len;
            append(&record, path, NULL, parts, count, record.length);
        }
    });
    return record.identifier;
}

static void end_step(enum record_kind kind, int file, uint64_t identifier, int64_t result) {
    char path[PATH_MAX];
    struct record record = {.kind = (uint8_t)kind, .identifier = identifier, .result = result};
    if (!identifier) return;
    KEEPING_ERRNO({
        if (!path_of(file, path, &record.file)) path[0] = 0;
        append(&record, path, NULL, NULL, 0, 0);
    });
}

void recorder_ended_write(int file, uint64_t identifier, ssize_t result) {
    end_step(RECORD_WRITE_END, file, identifier, result);
}

void recorder_truncated(int file, const char *path, off_t length) {
    char found[PATH_MAX];
    struct record record = {.kind = RECORD_TRUNCATE, .length = (uint64_t)length};
    KEEPING_ERRNO({
        struct stat status;
        int isRecorded = 0;
        if (!path) {
            isRecorded = path_of(file, found, &record.file);
        } else if (realpath(path, found) && is_inside(found) && stat(found, &status) == 0) {
            record.file = status.st_ino;
            isRecorded = 1;
        }
        if (isRecorded) append(&record, found, NULL, NULL, 0, 0);
    });
}

void recorder_allocated(int file, off_t offset, off_t length) {
    char path[PATH_MAX];
    struct record record = {
        .kind = RECORD_ALLOCATE, .offset = (uint64_t)offset, .length = (uint64_t)length};
    KEEPING_ERRNO({
        if (path_of(file, path, &record.file)) append(&record, path, NULL, NULL, 0, 0);
    });
}

uint64_t recorder_flushes(int file) {
    char path[PATH_MAX];
    struct record record = {.kind = RECORD_FLUSH};
    KEEPING_ERRNO({
        if (path_of(file, path, &record.file)) {
            record.identifier = (uint64_t)getpid() << 32 | (atomic_fetch_add(&identifiers, 1) + 1);
            append(&record, path, NULL, NULL, 0, 0);
        }
    });
    return record.identifier;
}

void recorder_flushed(int file, uint64_t identifier, int result) {
    end_step(RECORD_FLUSH_END, file, identifier, result);
}

static void name(
    enum record_kind kind, int from_folder, const char *from, int to_folder, const char *to) {
    char path[PATH_MAX], other[PATH_MAX] = "";
    struct record record = {.kind = (uint8_t)kind};
    KEEPING_ERRNO({
        int isInside = path_named(from_folder, from, path);
        if (to && !path_named(to_folder, to, other)) isInside = 0;
        if (isInside) append(&record, path, to ? other : NULL, NULL, 0, 0);
    });
}

void recorder_renamed(int from_folder, const char *from, int to_folder, const char *to) {
    name(RECORD_RENAME, from_folder, from, to_folder, to);
}

void recorder_linked(int from_folder, const char *from, int to_folder, const char *to) {
    name(RECORD_LINK, from_folder, from, to_folder, to);
}

void recorder_unlinked(int folder, const char *path) {
    name(RECORD_UNLINK, folder, path, AT_FDCWD, NULL);
}

void recorder_marked(const void *bytes, size_t count) {
    struct record record = {.kind = RECORD_MARK, .length = count};
    struct iovec part = {(void *)(uintptr_t)bytes, count};
    KEEPING_ERRNO(append(&record, NULL, NULL, &part, 1, count));
}
