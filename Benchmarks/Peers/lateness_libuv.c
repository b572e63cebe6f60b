#include <unistd.h>
#include <uv.h>

#include "lateness.h"

static uv_timer_t timers[LATENESS_STREAMS];
static uv_poll_t input;

static void expired(uv_timer_t *timer) {
    if (lateness_fired((unsigned)(timer - timers))) uv_stop(timer->loop);
}

static void readable(uv_poll_t *poll, int status, int events) {
    (void)status, (void)events;
    unsigned char stream;
    uv_os_fd_t descriptor;
    uv_fileno((uv_handle_t *)poll, &descriptor);
    if (read(descriptor, &stream, 1) == 1) uv_timer_start(&timers[stream], expired, LATENESS_DELAY_MS, 0);
}

static void run(int descriptor) {
    uv_loop_t loop;
    uv_loop_init(&loop);
    for (int i = 0; i < LATENESS_STREAMS; i++) uv_timer_init(&loop, &timers[i]);
    uv_poll_init(&loop, &input, descriptor);
    uv_poll_start(&input, UV_READABLE, readable);
    uv_run(&loop, UV_RUN_DEFAULT);
    for (int i = 0; i < LATENESS_STREAMS; i++) uv_close((uv_handle_t *)&timers[i], NULL);
    uv_close((uv_handle_t *)&input, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
}

const lateness_peer lateness_libuv = {"libuv uv_timer", run};
