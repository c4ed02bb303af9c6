/* Prints what an index store of swiftc holds, one line an occurrence, for `swift_truth.py`.

   gcc -O1 -o swift_index bench/swift_index.c -ldl
   ./swift_index LIBINDEXSTORE STORE

   Fields, with tabs between: file, line, column, roles, kind, name, USR. The library is the compiler's own
   (`libIndexStore.so`), whose functions are declared here as its header declares them. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { const char *data; size_t length; } text;
typedef void *handle;

static handle library, store;
static text file;
static FILE *out;

static void *function(const char *name) {
    void *found = dlsym(library, name);
    if (!found) { fprintf(stderr, "no %s\n", name); exit(2); }
    return found;
}

#define CALL(result, name, ...) ((result (*)(__VA_ARGS__))function(name))

static text (*symbol_name)(handle), (*symbol_usr)(handle);
static int (*symbol_kind)(handle);
static handle (*occurrence_symbol)(handle);
static uint64_t (*occurrence_roles)(handle);
static void (*occurrence_place)(handle, unsigned *, unsigned *);

static bool occurrence(void *context, handle one) {
    unsigned line, column;
    handle symbol = occurrence_symbol(one);
    text name = symbol_name(symbol), usr = symbol_usr(symbol);
    occurrence_place(one, &line, &column);
    fprintf(out, "%.*s\t%u\t%u\t%llu\t%d\t%.*s\t%.*s\n", (int)file.length, file.data, line, column,
            (unsigned long long)occurrence_roles(one), symbol_kind(symbol), (int)name.length, name.data,
            (int)usr.length, usr.data);
    return true;
}

static bool dependency(void *context, handle one) {
    if (CALL(int, "indexstore_unit_dependency_get_kind", handle)(one) != 2) return true;
    text name = CALL(text, "indexstore_unit_dependency_get_name", handle)(one);
    file = CALL(text, "indexstore_unit_dependency_get_filepath", handle)(one);
    char copy[4096];
    snprintf(copy, sizeof copy, "%.*s", (int)name.length, name.data);
    handle error = 0;
    handle reader = CALL(handle, "indexstore_record_reader_create", handle, const char *, handle *)(store, copy, &error);
    if (!reader) { fprintf(stderr, "no record %s\n", copy); return true; }
    CALL(bool, "indexstore_record_reader_occurrences_apply_f", handle, void *, bool (*)(void *, handle))
        (reader, 0, occurrence);
    CALL(void, "indexstore_record_reader_dispose", handle)(reader);
    return true;
}

static bool unit(void *context, text name) {
    char copy[4096];
    snprintf(copy, sizeof copy, "%.*s", (int)name.length, name.data);
    handle error = 0;
    handle reader = CALL(handle, "indexstore_unit_reader_create", handle, const char *, handle *)(store, copy, &error);
    if (!reader) { fprintf(stderr, "no unit %s\n", copy); return true; }
    CALL(bool, "indexstore_unit_reader_dependencies_apply_f", handle, void *, bool (*)(void *, handle))
        (reader, 0, dependency);
    CALL(void, "indexstore_unit_reader_dispose", handle)(reader);
    return true;
}

int main(int count, char **given) {
    if (count != 3) { fprintf(stderr, "usage: %s LIBINDEXSTORE STORE\n", given[0]); return 2; }
    out = stdout;
    library = dlopen(given[1], RTLD_NOW);
    if (!library) { fprintf(stderr, "%s\n", dlerror()); return 2; }
    symbol_name = function("indexstore_symbol_get_name");
    symbol_usr = function("indexstore_symbol_get_usr");
    symbol_kind = function("indexstore_symbol_get_kind");
    occurrence_symbol = function("indexstore_occurrence_get_symbol");
    occurrence_roles = function("indexstore_occurrence_get_roles");
    occurrence_place = function("indexstore_occurrence_get_line_col");
    handle error = 0;
    store = CALL(handle, "indexstore_store_create", const char *, handle *)(given[2], &error);
    if (!store) { fprintf(stderr, "no store at %s\n", given[2]); return 2; }
    CALL(bool, "indexstore_store_units_apply_f", handle, unsigned, void *, bool (*)(void *, text))(store, 0, 0, unit);
    return 0;
}
