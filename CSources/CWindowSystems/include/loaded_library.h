/* Shared libraries that are loaded when they are first used, so that a program neither links
 * nor needs them before. One thread at a time. */
#ifndef LOADED_LIBRARY_H
#define LOADED_LIBRARY_H

#include <stddef.h>

/* A function of a library and where its address is put. */
typedef struct loaded_function {
    const char *name;
    void *address; /* of a pointer to the function */
} loaded_function;

/* Loads a library, such as "libxcb.so.1", and sets the functions' pointers. The library stays
 * loaded. Returns 0, or -1 if the library or one of the functions is missing; dlerror() then
 * says why. */
int loaded_library_open(const char *file, const loaded_function *functions, size_t count);

#endif
