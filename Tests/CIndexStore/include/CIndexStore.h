#ifndef C_INDEX_STORE_H
#define C_INDEX_STORE_H

#include <stdbool.h>

/// Writes every definition and reference that an index store has of the newest unit of each file whose path
/// begins with a prefix.
///
/// One line each: the file, the one name that no other symbol has, the symbol's name, 1 for its definition, 2
/// for the name of a type, 3 for what an extension extends or 0 for any other reference to it, the line, and
/// the column in bytes, with tabs between. Before those of a file is a line without a symbol.
///
/// The library is libIndexStore. It is loaded, since it comes with the toolchain and no package declares it.
///
/// Returns false when that cannot be done; then a sentence in the file at the path says why.
bool index_store_write(
    const char *library, const char *store, const char *prefix, const char *path);

/// Writes where the running program's Swift runtime lies; false when it is part of the program.
bool index_store_write_runtime(const char *path);

#endif
