// For dladdr(3).
#define _GNU_SOURCE

#include "CIndexStore.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The part of libIndexStore's interface that is used here.
typedef void *store_ref;
typedef void *reader_ref;
typedef void *object_ref;
typedef struct {
    const char *data;
    size_t length;
} string_ref;

enum { dependency_is_record = 2 };
enum { role_definition = 1 << 1, role_reference = 1 << 2, role_extended = 1 << 14 };
enum { kind_enum = 5, kind_struct = 6, kind_class = 7, kind_protocol = 8, kind_alias = 11 };

struct library {
    store_ref (*store_create)(const char *, object_ref *);
    void (*store_dispose)(store_ref);
    const char *(*error_description)(object_ref);
    void (*error_dispose)(object_ref);
    bool (*units)(store_ref, unsigned, void *, bool (*)(void *, string_ref));
    reader_ref (*unit_create)(store_ref, const char *, object_ref *);
    void (*unit_dispose)(reader_ref);
    string_ref (*unit_main_file)(reader_ref);
    void (*unit_time)(reader_ref, int64_t *, int64_t *);
    bool (*unit_dependencies)(reader_ref, void *, bool (*)(void *, object_ref));
    int (*dependency_kind)(object_ref);
    string_ref (*dependency_file)(object_ref);
    string_ref (*dependency_name)(object_ref);
    reader_ref (*record_create)(store_ref, const char *, object_ref *);
    void (*record_dispose)(reader_ref);
    bool (*occurrences)(reader_ref, void *, bool (*)(void *, object_ref));
    object_ref (*occurrence_symbol)(object_ref);
    uint64_t (*occurrence_roles)(object_ref);
    void (*occurrence_place)(object_ref, unsigned *, unsigned *);
    int (*symbol_kind)(object_ref);
    string_ref (*symbol_usr)(object_ref);
    string_ref (*symbol_name)(object_ref);
};

/// The newest unit of a file, and where its occurrences are.
struct file {
    char *path;
    /// NULL when there are none.
    char *record;
    int64_t seconds;
    int64_t nanoseconds;
};

struct walk {
    struct library library;
    store_ref store;
    const char *prefix;
    FILE *output;
    struct file *files;
    size_t count;
    size_t capacity;
    /// The file whose unit or record is read.
    struct file current;
};

static char *sentence(const char *start, const char *detail) {
    size_t length = strlen(start) + strlen(detail) + 3;
    char *text = malloc(length);
    if (text) snprintf(text, length, "%s: %s", start, detail);
    return text;
}

static char *copy(string_ref text) {
    char *copy = malloc(text.length + 1);
    if (!copy) abort();
    memcpy(copy, text.data, text.length);
    copy[text.length] = 0;
    return copy;
}

static bool find_record(void *context, object_ref dependency) {
    struct walk *walk = context;
    const struct library *library = &walk->library;
    if (library->dependency_kind(dependency) != dependency_is_record) return true;
    string_ref path = library->dependency_file(dependency);
    if (path.length != strlen(walk->current.path)
        || memcmp(path.data, walk->current.path, path.length) != 0) {
        return true;
    }
    walk->current.record = copy(library->dependency_name(dependency));
    return false;
}

/// Keeps a file unless there is a newer unit of it; takes its texts over.
static void keep(struct walk *walk, struct file file) {
    for (size_t place = 0; place < walk->count; place++) {
        struct file *other = &walk->files[place];
        if (strcmp(other->path, file.path) != 0) continue;
        bool is_newer = file.seconds > other->seconds
            || (file.seconds == other->seconds && file.nanoseconds > other->nanoseconds);
        struct file dropped = is_newer ? *other : file;
        if (is_newer) *other = file;
        free(dropped.path);
        free(dropped.record);
        return;
    }
    if (walk->count == walk->capacity) {
        walk->capacity = 2 * walk->capacity + 64;
        walk->files = realloc(walk->files, walk->capacity * sizeof(struct file));
        if (!walk->files) abort();
    }
    walk->files[walk->count++] = file;
}

static bool visit_unit(void *context, string_ref name) {
    struct walk *walk = context;
    const struct library *library = &walk->library;
    char *unit = copy(name);
    object_ref error = NULL;
    reader_ref reader = library->unit_create(walk->store, unit, &error);
    free(unit);
    if (!reader) {
        // Written in part, or by another compiler: the file's own unit is there beside it.
        if (error) library->error_dispose(error);
        return true;
    }
    string_ref path = library->unit_main_file(reader);
    size_t length = strlen(walk->prefix);
    if (path.length > length && memcmp(path.data, walk->prefix, length) == 0) {
        walk->current = (struct file){.path = copy(path)};
        library->unit_time(reader, &walk->current.seconds, &walk->current.nanoseconds);
        library->unit_dependencies(reader, walk, find_record);
        keep(walk, walk->current);
    }
    library->unit_dispose(reader);
    return true;
}

/// 1 for a definition, 2 for the name of a type, 3 for that of what an extension extends, 0 for any other
/// reference.
static int sort_of(const struct library *library, object_ref symbol, uint64_t roles) {
    if (roles & role_definition) return 1;
    if (roles & role_extended) return 3;
    switch (library->symbol_kind(symbol)) {
    case kind_enum:
    case kind_struct:
    case kind_class:
    case kind_protocol:
    case kind_alias: return 2;
    default: return 0;
    }
}

static bool visit_occurrence(void *context, object_ref occurrence) {
    struct walk *walk = context;
    const struct library *library = &walk->library;
    uint64_t roles = library->occurrence_roles(occurrence);
    if (!(roles & (role_definition | role_reference))) return true;
    object_ref symbol = library->occurrence_symbol(occurrence);
    string_ref usr = library->symbol_usr(symbol);
    string_ref name = library->symbol_name(symbol);
    unsigned line = 0, column = 0;
    library->occurrence_place(occurrence, &line, &column);
    fprintf(
        walk->output, "%s\t%.*s\t%.*s\t%d\t%u\t%u\n", walk->current.path, (int)usr.length, usr.data,
        (int)name.length, name.data, sort_of(library, symbol, roles), line, column);
    return true;
}

static char *load(struct library *library, const char *path) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return sentence("The library cannot be loaded", dlerror());
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"indexstore_store_create", &library->store_create},
        {"indexstore_store_dispose", &library->store_dispose},
        {"indexstore_error_get_description", &library->error_description},
        {"indexstore_error_dispose", &library->error_dispose},
        {"indexstore_store_units_apply_f", &library->units},
        {"indexstore_unit_reader_create", &library->unit_create},
        {"indexstore_unit_reader_dispose", &library->unit_dispose},
        {"indexstore_unit_reader_get_main_file", &library->unit_main_file},
        {"indexstore_unit_reader_get_modification_time", &library->unit_time},
        {"indexstore_unit_reader_dependencies_apply_f", &library->unit_dependencies},
        {"indexstore_unit_dependency_get_kind", &library->dependency_kind},
        {"indexstore_unit_dependency_get_filepath", &library->dependency_file},
        {"indexstore_unit_dependency_get_name", &library->dependency_name},
        {"indexstore_record_reader_create", &library->record_create},
        {"indexstore_record_reader_dispose", &library->record_dispose},
        {"indexstore_record_reader_occurrences_apply_f", &library->occurrences},
        {"indexstore_occurrence_get_symbol", &library->occurrence_symbol},
        {"indexstore_occurrence_get_roles", &library->occurrence_roles},
        {"indexstore_occurrence_get_line_col", &library->occurrence_place},
        {"indexstore_symbol_get_kind", &library->symbol_kind},
        {"indexstore_symbol_get_usr", &library->symbol_usr},
        {"indexstore_symbol_get_name", &library->symbol_name},
    };
    for (size_t place = 0; place < sizeof(functions) / sizeof(functions[0]); place++) {
        void *found = dlsym(handle, functions[place].name);
        if (!found) return sentence("The library has no function", functions[place].name);
        memcpy(functions[place].place, &found, sizeof(found));
    }
    return NULL;
}

static char *walk_store(
    const char *library, const char *store, const char *prefix, FILE *output) {
    struct walk walk = {.prefix = prefix, .output = output};
    char *fault = load(&walk.library, library);
    if (fault) return fault;
    object_ref error = NULL;
    walk.store = walk.library.store_create(store, &error);
    if (!walk.store) {
        fault = sentence(
            "The index store cannot be opened",
            error ? walk.library.error_description(error) : "it is none");
        if (error) walk.library.error_dispose(error);
        return fault;
    }
    walk.library.units(walk.store, 1, &walk, visit_unit);
    for (size_t place = 0; place < walk.count; place++) {
        walk.current = walk.files[place];
        fprintf(output, "%s\t\t\t0\t0\t0\n", walk.current.path);
        error = NULL;
        // A file without a symbol has no record.
        if (!walk.current.record) {
            free(walk.files[place].path);
            continue;
        }
        reader_ref reader = walk.library.record_create(walk.store, walk.current.record, &error);
        if (reader) {
            walk.library.occurrences(reader, &walk, visit_occurrence);
            walk.library.record_dispose(reader);
        } else if (!fault) {
            fault = sentence(
                "A record cannot be read", error ? walk.library.error_description(error) : "");
        }
        if (error) walk.library.error_dispose(error);
        free(walk.files[place].path);
        free(walk.files[place].record);
    }
    free(walk.files);
    walk.library.store_dispose(walk.store);
    return fault;
}

bool index_store_write(
    const char *library, const char *store, const char *prefix, const char *path) {
    FILE *output = fopen(path, "w");
    if (!output) return false;
    char *fault = walk_store(library, store, prefix, output);
    if (fault) {
        output = freopen(path, "w", output);
        if (output) fputs(fault, output);
    }
    bool is_whole = output && fclose(output) == 0 && !fault;
    free(fault);
    return is_whole;
}

bool index_store_write_runtime(const char *path) {
    void *function = dlsym(RTLD_DEFAULT, "swift_retain");
    Dl_info info;
    if (!function || !dladdr(function, &info) || !info.dli_fname) return false;
    FILE *output = fopen(path, "w");
    if (!output) return false;
    fputs(info.dli_fname, output);
    return fclose(output) == 0;
}
