// A library to be loaded before all others (LD_PRELOAD) into a program that keeps a database. It
// stands before the calls that write, flush, map and size files, and makes chosen ones fail on
// files whose names end in `.mdb`. Without variables it hands every call on. Linux only; on other
// systems it is empty.
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
#ifndef FAULT_SHIM_H
#define FAULT_SHIM_H

// Whether the library does anything on this system.
int fault_shim_is_available(void);

#endif
