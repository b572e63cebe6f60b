/* Makes chosen system calls on one file fail, for scripts/checks/recording.
 *
 * Loaded by LD_PRELOAD. FAULT_FILE is the file's path; FAULTS lists faults as
 * call:nth:kind, separated by commas: the nth call (from 1, of that function on that
 * file) has the fault. Functions are write, fdatasync and ftruncate. Kinds:
 *
 *   enospc, eio   fails, and so do all later ones; a write takes half of its bytes first
 *   eintr         fails once, as if a signal had come
 *   short         takes at most seven bytes, and so do all later ones
 *   kill          a write takes half of its bytes; then the process gets SIGKILL
 *   lie           does nothing and returns success, and so do all later ones: the file
 *                 of a program that acknowledges events before it writes them
 *
 * Reads of the file FAULT_INPUT return at most FAULT_READ_BYTES, as from a pipe, so that
 * the input has the same parts every time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHORT_BYTES = 7, FAULTS_TEXT_MAX = 256 };

typedef enum { NONE, ENOSPC_HALF, ENOSPC_AFTER, EIO_HALF, EIO_AFTER, EINTR_ONCE, SHORT, KILL, LIE } fault;

static atomic_long writes, syncs, truncations;

static bool concerns(int descriptor, const char *variable) {
    const char *wanted = getenv(variable);
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (!wanted || length < 0) return false;
    path[length] = 0;
    return strcmp(path, wanted) == 0;
}

static fault kind_of(const char *name, bool is_first) {
    if (strcmp(name, "enospc") == 0) return is_first ? ENOSPC_HALF : ENOSPC_AFTER;
    if (strcmp(name, "eio") == 0) return is_first ? EIO_HALF : EIO_AFTER;
    if (strcmp(name, "eintr") == 0) return is_first ? EINTR_ONCE : NONE;
    if (strcmp(name, "short") == 0) return SHORT;
    if (strcmp(name, "kill") == 0) return KILL;
    if (strcmp(name, "lie") == 0) return LIE;
    fprintf(stderr, "faults: there is no fault '%s'\n", name);
    abort();
}

/* What the call that is the `number`th of its kind meets. */
static fault meet(const char *call, long number) {
    char text[FAULTS_TEXT_MAX], *rest = NULL;
    snprintf(text, sizeof text, "%s", getenv("FAULTS") ? getenv("FAULTS") : "");
    for (char *item = strtok_r(text, ",", &rest); item; item = strtok_r(NULL, ",", &rest)) {
        char name[16], kind[16];
        long nth;
        if (sscanf(item, "%15[a-z]:%ld:%15[a-z]", name, &nth, kind) != 3) abort();
        if (strcmp(name, call) == 0 && number >= nth) return kind_of(kind, number == nth);
    }
    return NONE;
}

static int fails(int code) {
    errno = code;
    return -1;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (!concerns(descriptor, "FAULT_FILE")) return real(descriptor, bytes, count);
    switch (meet("write", atomic_fetch_add(&writes, 1) + 1)) {
    case ENOSPC_HALF:
    case EIO_HALF: return real(descriptor, bytes, count / 2);
    case ENOSPC_AFTER: return fails(ENOSPC);
    case EIO_AFTER: return fails(EIO);
    case EINTR_ONCE: return fails(EINTR);
    case SHORT: return real(descriptor, bytes, count < SHORT_BYTES ? count : SHORT_BYTES);
    case KILL:
        real(descriptor, bytes, count / 2);
        raise(SIGKILL);
        return fails(EIO);
    case LIE: return (ssize_t)count;
    case NONE: break;
    }
    return real(descriptor, bytes, count);
}

/* What a call without bytes returns instead of being made; 1 to make it. */
static int without_bytes(const char *call, long number) {
    switch (meet(call, number)) {
    case ENOSPC_HALF:
    case ENOSPC_AFTER: return fails(ENOSPC);
    case EIO_HALF:
    case EIO_AFTER: return fails(EIO);
    case EINTR_ONCE: return fails(EINTR);
    case KILL: raise(SIGKILL); return fails(EIO);
    case LIE: return 0;
    case SHORT:
    case NONE: break;
    }
    return 1;
}

int fdatasync(int descriptor) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    if (!concerns(descriptor, "FAULT_FILE")) return real(descriptor);
    int instead = without_bytes("fdatasync", atomic_fetch_add(&syncs, 1) + 1);
    return instead == 1 ? real(descriptor) : instead;
}

int ftruncate(int descriptor, off_t length) {
    static int (*real)(int, off_t);
    if (!real) real = (int (*)(int, off_t))dlsym(RTLD_NEXT, "ftruncate");
    if (!concerns(descriptor, "FAULT_FILE")) return real(descriptor, length);
    int instead = without_bytes("ftruncate", atomic_fetch_add(&truncations, 1) + 1);
    return instead == 1 ? real(descriptor, length) : instead;
}

ssize_t read(int descriptor, void *bytes, size_t count) {
    static ssize_t (*real)(int, void *, size_t);
    if (!real) real = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    const char *most = getenv("FAULT_READ_BYTES");
    if (!most || !concerns(descriptor, "FAULT_INPUT")) return real(descriptor, bytes, count);
    size_t limit = (size_t)atol(most);
    return real(descriptor, bytes, count < limit ? count : limit);
}
