#define _GNU_SOURCE
#include "loaded_library.h"

#include <dlfcn.h>
#include <string.h>

int loaded_library_open(const char *file, const loaded_function *functions, size_t count) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) return -1;
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(library, functions[i].name);
        if (!found) return -1;
        /* ISO C has no conversion from an object's pointer to a function's; POSIX has this one. */
        memcpy(functions[i].address, &found, sizeof found);
    }
    return 0;
}
