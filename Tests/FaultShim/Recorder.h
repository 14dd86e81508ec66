// Records what a program does to the files of a folder: the form of the records, which
// `Tests/PromiseTests/PowerFailures/Trace.swift` reads, and the steps by which FaultShim.c makes them.
#ifndef RECORDER_H
#define RECORDER_H

#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

enum record_kind {
    RECORD_OPEN = 1,      // a file was opened; flags say how
    RECORD_WRITE,         // bytes came into a file at an offset
    RECORD_WRITE_END,     // a write to a descriptor that flushes every write has returned
    RECORD_TRUNCATE,      // a file got a length
    RECORD_ALLOCATE,      // a file got room: offset and length
    RECORD_FLUSH,         // a flush of a file or folder began
    RECORD_FLUSH_END,     // it returned; the result says whether it failed
    RECORD_RENAME,        // a file got another name
    RECORD_LINK,          // a file got a second name
    RECORD_UNLINK,        // a name went away
    RECORD_MARK,          // the program wrote to its standard output
};

enum record_flag {
    RECORD_CREATED = 1,   // the open made the file
    RECORD_TRUNCATED = 2, // the open made it empty
    RECORD_SYNCED = 4,    // the descriptor flushes every write before it returns
};

// What stands before each record, in the machine's byte order; then the path, the other path and
// the bytes follow.
struct record {
    uint32_t magic;       // RECORD_MAGIC
    uint8_t kind;
    uint8_t flags;
    uint16_t path_length;
    uint32_t process;
    uint32_t other_path_length;
    uint64_t file;        // the number of the inode
    uint64_t identifier;  // of a write or flush that ends later
    uint64_t offset;
    uint64_t length;      // how many bytes follow; of TRUNCATE and ALLOCATE the length
    int64_t result;
};

#define RECORD_MAGIC 0x43525453u

// Whether anything is recorded at all.
int recorder_is_on(void);

// Makes a call, and records what it did: the whole of it is one step between those of others.
//
//     recorder_lock();
//     result = next_pwrite(...);
//     recorder_wrote(file, bytes, result, offset);
//     recorder_unlock();
void recorder_lock(void);
void recorder_unlock(void);

// A call that opened a file; `existed` is what `recorder_exists` said before.
int recorder_exists(int folder, const char *path);
void recorder_opened(int file, int existed, int flags);

// A write to a descriptor that flushes nothing, after it was made. `offset` is where it began.
void recorder_wrote(int file, const struct iovec *parts, int count, ssize_t result, off_t offset);

// A write to one that flushes: before it is made, and after. 0 when it is not recorded.
int recorder_is_synced(int file);
uint64_t recorder_writes(int file, const struct iovec *parts, int count, off_t offset);
void recorder_ended_write(int file, uint64_t identifier, ssize_t result);

// Where a write without an offset begins.
off_t recorder_position(int file);

void recorder_truncated(int file, const char *path, off_t length);
void recorder_allocated(int file, off_t offset, off_t length);

// A flush: before it is made, and after.
uint64_t recorder_flushes(int file);
void recorder_flushed(int file, uint64_t identifier, int result);

void recorder_renamed(int from_folder, const char *from, int to_folder, const char *to);
void recorder_linked(int from_folder, const char *from, int to_folder, const char *to);
void recorder_unlinked(int folder, const char *path);

void recorder_marked(const void *bytes, size_t count);

#endif
