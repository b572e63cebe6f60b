#define _GNU_SOURCE
#include "x11_private.h"

#ifdef X11_HAS_HEADERS

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* libxcb waits without a limit for the server's first words, and for answers. So a thread of its
 * own opens the connection; whoever is last of it and its caller frees this. */
typedef struct x11_opening {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool is_ended;
    bool is_abandoned;
    char *display;
    x11_desktop *desktop;
    char message[X11_MESSAGE_MAX];
} x11_opening;

static void free_opening(x11_opening *opening) {
    pthread_cond_destroy(&opening->ended);
    pthread_mutex_destroy(&opening->lock);
    free(opening->display);
    free(opening);
}

static x11_opening *new_opening(const char *display) {
    x11_opening *opening = calloc(1, sizeof *opening);
    if (!opening) return NULL;
    pthread_mutex_init(&opening->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&opening->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    if (!display || (opening->display = strdup(display))) return opening;
    free_opening(opening);
    return NULL;
}

static void *run(void *argument) {
    x11_opening *opening = argument;
    x11_desktop *desktop = x11_connect(opening->display, opening->message);
    pthread_mutex_lock(&opening->lock);
    opening->desktop = desktop;
    opening->is_ended = true;
    bool is_abandoned = opening->is_abandoned;
    pthread_cond_signal(&opening->ended);
    pthread_mutex_unlock(&opening->lock);
    if (is_abandoned) {
        x11_desktop_close(desktop);
        free_opening(opening);
    }
    return NULL;
}

/* Signals are for the program's threads. */
static int start(x11_opening *opening, pthread_t *thread) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(thread, NULL, run, opening);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* Returns whether the thread has ended within the limit; it is abandoned if not. */
static bool wait_for_end(x11_opening *opening, uint32_t limit_ms) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += limit_ms / 1000;
    until.tv_nsec += (long)(limit_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&opening->lock);
    int error = 0;
    while (!opening->is_ended && error != ETIMEDOUT)
        error = pthread_cond_timedwait(&opening->ended, &opening->lock, &until);
    bool is_ended = opening->is_ended;
    opening->is_abandoned = !is_ended;
    pthread_mutex_unlock(&opening->lock);
    return is_ended;
}

x11_desktop *x11_desktop_open(const char *display, uint32_t limit_ms, char *message) {
    const char *name = display ? display : getenv("DISPLAY");
    x11_opening *opening = new_opening(name);
    pthread_t thread;
    if (!opening || start(opening, &thread) != 0) {
        if (opening) free_opening(opening);
        snprintf(message, X11_MESSAGE_MAX, "there is no memory, or no thread, for a connection to X");
        return NULL;
    }
    if (!wait_for_end(opening, limit_ms)) {
        pthread_detach(thread);
        snprintf(
            message, X11_MESSAGE_MAX,
            "the X server of display '%s' has not answered for %.3g s: it is stopped, or another client grabs it, as"
            " some window managers do during a drag; try again when it answers",
            name ? name : "", limit_ms / 1000.0);
        return NULL;
    }
    pthread_join(thread, NULL);
    x11_desktop *desktop = opening->desktop;
    memcpy(message, opening->message, X11_MESSAGE_MAX);
    free_opening(opening);
    return desktop;
}

#else
typedef int x11_open_without_headers;
#endif
