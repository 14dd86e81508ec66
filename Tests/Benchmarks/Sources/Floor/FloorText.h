#ifndef BENCHMARKS_FLOOR_TEXT_H
#define BENCHMARKS_FLOOR_TEXT_H

#include <lmdb.h>
#include <string.h>

/// The place after a label such as `"amount":`, which each of the documents has; NULL if not.
static inline const char *after(const MDB_val *text, const char *label, size_t length) {
    const char *place = memmem(text->mv_data, text->mv_size, label, length);
    return place == NULL ? NULL : place + length;
}

static inline size_t number_at(const char *place, const char *end) {
    size_t number = 0;
    for (; place < end && *place >= '0' && *place <= '9'; place++) {
        number = number * 10 + (size_t)(*place - '0');
    }
    return number;
}

static inline size_t length_at(const char *place, const char *end) {
    const char *quote = memchr(place, '"', (size_t)(end - place));
    return quote == NULL ? 0 : (size_t)(quote - place);
}

#define AFTER(text, label) after(text, label, sizeof label - 1)

#endif
