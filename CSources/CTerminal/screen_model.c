#define _GNU_SOURCE
#include "screen_model.h"

#include <errno.h>

bool screen_model_fits(int rows, int columns) {
    return rows >= SCREEN_MODEL_ROWS_MIN && columns >= SCREEN_MODEL_COLUMNS_MIN &&
           (long)rows * columns <= SCREEN_MODEL_CELLS_MAX;
}

#if __has_include(<vterm.h>)

#include "terminal_child.h"
#include "vterm_model.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The longest that the process may take for an answer, which is a hundred times what it takes on a slow machine. */
enum { PATIENCE_MS = 3000 };
/* How much is written before it goes to the process, and the most that an answer has. */
enum { PENDING_MAX = 1 << 16, ANSWER_MAX = 1 << 26 };

typedef enum operation { WRITE, RESIZE, CLEAR, PAINT, RESTORE, FREEZE, THAW, ERASE_LIVE_ROWS } operation;

/* What the process is asked to do, after it has drawn what follows: so many bytes that the program wrote. */
typedef struct request {
    operation operation;
    int rows, columns;
    bool flag;
    output_modes modes;
    size_t count;
} request;

/* How the model is then. What it has to be written, and its answers to the program, follow. */
typedef struct answer {
    bool is_alternate, is_damaged, has_live_rows;
    size_t output_count, answers_count;
} answer;

struct screen_model {
    pid_t process; /* 0 once it has ended */
    int channel;
    text pending, output, answers;
    answer state;
};

/* In the process */

static void read_whole(int channel, void *bytes, size_t count) {
    while (count > 0) {
        ssize_t got = read(channel, bytes, count);
        if (got < 0 && errno == EINTR) continue;
        /* Whoever asked has gone. */
        if (got <= 0) _exit(0);
        bytes = (char *)bytes + got;
        count -= (size_t)got;
    }
}

static void write_whole(int channel, const void *bytes, size_t count) {
    while (count > 0) {
        ssize_t put = send(channel, bytes, count, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) _exit(0);
        bytes = (const char *)bytes + put;
        count -= (size_t)put;
    }
}

static void draw(vterm_model *model, const request *request) {
    switch (request->operation) {
    case WRITE: break;
    case RESIZE: return vterm_model_resize(model, &request->modes, request->rows, request->columns);
    case CLEAR: return vterm_model_clear(model);
    case PAINT: return vterm_model_paint(model, request->rows, request->columns, request->flag);
    case RESTORE: return vterm_model_restore(model, &request->modes, request->flag);
    case FREEZE: return vterm_model_freeze(model, request->columns);
    case THAW: return vterm_model_thaw(model, request->rows, request->columns, request->flag);
    case ERASE_LIVE_ROWS: return vterm_model_erase_live_rows(model);
    }
}

static _Noreturn void serve(int channel, int rows, int columns) {
    vterm_model *model = vterm_model_open(rows, columns);
    text written = {0};
    for (;;) {
        request request;
        read_whole(channel, &request, sizeof request);
        text_reserve(&written, request.count);
        read_whole(channel, written.bytes, request.count);
        vterm_model_write(model, written.bytes, request.count);
        draw(model, &request);
        answer answer = {.is_alternate = vterm_model_is_alternate(model),
                         .is_damaged = vterm_model_is_damaged(model),
                         .has_live_rows = vterm_model_has_live_rows(model)};
        const uint8_t *output = vterm_model_take_output(model, &answer.output_count);
        const uint8_t *answers = vterm_model_take_answers(model, &answer.answers_count);
        write_whole(channel, &answer, sizeof answer);
        write_whole(channel, output, answer.output_count);
        write_whole(channel, answers, answer.answers_count);
    }
}

/* With no descriptor, terminal or signal of this process, and no core file: a crash of it is nobody's business. */
static _Noreturn void begin(int channel, int rows, int columns) {
    terminal_child_reset_signals();
    setsid();
    prctl(PR_SET_NAME, "settle-screen");
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    int own = fcntl(channel, F_DUPFD, 4), nothing = open("/dev/null", O_RDWR);
    if (own < 0 || nothing < 0) _exit(1);
    for (int stream = 0; stream < 3; stream++) dup2(nothing, stream);
    dup2(own, 3);
    terminal_child_close_from(4);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    serve(3, rows, columns);
}

/* In this process */

screen_model *screen_model_open(int rows, int columns) {
    if (vterm_model_load() != 0) {
        errno = ENOSYS;
        return NULL;
    }
    screen_model *model = calloc(1, sizeof *model);
    int pair[2];
    if (!model || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        free(model);
        return NULL;
    }
    /* No handler of this process may run in the child. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    model->process = fork();
    if (model->process == 0) begin(pair[1], rows, columns);
    int code = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(pair[1]);
    if (model->process > 0 && fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0) {
        model->channel = pair[0];
        return model;
    }
    close(pair[0]);
    free(model);
    errno = code;
    return NULL;
}

static void end_process(screen_model *model) {
    if (model->process == 0) return;
    kill(model->process, SIGKILL);
    while (waitpid(model->process, NULL, 0) < 0 && errno == EINTR) {}
    close(model->channel);
    model->process = 0;
    model->state = (answer){0};
    model->pending.count = model->output.count = model->answers.count = 0;
}

void screen_model_close(screen_model *model) {
    if (!model) return;
    end_process(model);
    free(model->pending.bytes);
    free(model->output.bytes);
    free(model->answers.bytes);
    free(model);
}

bool screen_model_has_failed(const screen_model *model) { return model->process == 0; }
int screen_model_process(const screen_model *model) { return model->process; }

static long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000L + now.tv_nsec / 1000000;
}

/* Moves bytes to or from the process until a time; false if it has gone, or is late. */
static bool move(const screen_model *model, bool writes, void *bytes, size_t count, long end_ms) {
    while (count > 0) {
        ssize_t moved =
            writes ? send(model->channel, bytes, count, MSG_NOSIGNAL) : recv(model->channel, bytes, count, 0);
        if (moved > 0) {
            bytes = (char *)bytes + moved;
            count -= (size_t)moved;
            continue;
        }
        if (moved == 0 || (errno != EAGAIN && errno != EINTR)) return false;
        long rest = end_ms - now_ms();
        struct pollfd ready = {.fd = model->channel, .events = writes ? POLLOUT : POLLIN};
        /* What is there counts, also if this process was stopped until later. */
        if (poll(&ready, 1, rest > 0 ? (int)rest : 0) == 0 && rest <= 0) return false;
    }
    return true;
}

static bool receive(const screen_model *model, text *text, size_t count, long end_ms) {
    if (count > ANSWER_MAX) return false;
    text_reserve(text, count);
    if (!move(model, false, text->bytes + text->count, count, end_ms)) return false;
    text->count += count;
    return true;
}

static void ask(screen_model *model, request request) {
    if (model->process == 0) return;
    long end = now_ms() + PATIENCE_MS;
    request.count = model->pending.count;
    bool is_answered = move(model, true, &request, sizeof request, end) &&
                       move(model, true, model->pending.bytes, request.count, end) &&
                       move(model, false, &model->state, sizeof model->state, end) &&
                       receive(model, &model->output, model->state.output_count, end) &&
                       receive(model, &model->answers, model->state.answers_count, end);
    model->pending.count = 0;
    if (!is_answered) end_process(model);
}

/* Waits until the model has drawn everything. */
static void finish_writing(screen_model *model) {
    if (model->pending.count > 0) ask(model, (request){.operation = WRITE});
}

void screen_model_write(screen_model *model, const uint8_t *bytes, size_t count) {
    if (model->process == 0) return;
    text_append(&model->pending, bytes, count);
    if (model->pending.count >= PENDING_MAX) finish_writing(model);
}

void screen_model_resize(screen_model *model, const output_modes *modes, int rows, int columns) {
    ask(model, (request){.operation = RESIZE, .rows = rows, .columns = columns, .modes = *modes});
}

void screen_model_clear(screen_model *model) { ask(model, (request){.operation = CLEAR}); }

bool screen_model_is_alternate(screen_model *model) { return finish_writing(model), model->state.is_alternate; }
bool screen_model_is_damaged(screen_model *model) { return finish_writing(model), model->state.is_damaged; }
bool screen_model_has_live_rows(screen_model *model) { return finish_writing(model), model->state.has_live_rows; }

void screen_model_paint(screen_model *model, int rows, int columns, bool everything) {
    ask(model, (request){.operation = PAINT, .rows = rows, .columns = columns, .flag = everything});
}

void screen_model_restore(screen_model *model, const output_modes *modes, bool has_margins) {
    ask(model, (request){.operation = RESTORE, .flag = has_margins, .modes = *modes});
}

void screen_model_freeze(screen_model *model, int columns) {
    ask(model, (request){.operation = FREEZE, .columns = columns});
}

void screen_model_thaw(screen_model *model, int rows, int columns, bool wraps) {
    ask(model, (request){.operation = THAW, .rows = rows, .columns = columns, .flag = wraps});
}

void screen_model_erase_live_rows(screen_model *model) { ask(model, (request){.operation = ERASE_LIVE_ROWS}); }

static const uint8_t *take(text *text, size_t *count) {
    *count = text->count;
    text->count = 0;
    return text->bytes;
}

const uint8_t *screen_model_take_output(screen_model *model, size_t *count) { return take(&model->output, count); }

const uint8_t *screen_model_take_answers(screen_model *model, size_t *count) {
    finish_writing(model);
    return take(&model->answers, count);
}

#else

struct screen_model {
    int none;
};

screen_model *screen_model_open(int rows, int columns) {
    (void)rows, (void)columns;
    errno = ENOSYS;
    return 0;
}

/* Without libvterm's header there is no model, and nothing calls these. */
void screen_model_close(screen_model *model) { (void)model; }
bool screen_model_has_failed(const screen_model *model) { return (void)model, true; }
int screen_model_process(const screen_model *model) { return (void)model, 0; }
void screen_model_write(screen_model *model, const uint8_t *bytes, size_t count) {
    (void)model, (void)bytes, (void)count;
}
void screen_model_resize(screen_model *model, const output_modes *modes, int rows, int columns) {
    (void)model, (void)modes, (void)rows, (void)columns;
}
void screen_model_clear(screen_model *model) { (void)model; }
bool screen_model_is_alternate(screen_model *model) { return (void)model, false; }
bool screen_model_is_damaged(screen_model *model) { return (void)model, false; }
bool screen_model_has_live_rows(screen_model *model) { return (void)model, false; }
void screen_model_paint(screen_model *model, int rows, int columns, bool everything) {
    (void)model, (void)rows, (void)columns, (void)everything;
}
void screen_model_restore(screen_model *model, const output_modes *modes, bool has_margins) {
    (void)model, (void)modes, (void)has_margins;
}
void screen_model_freeze(screen_model *model, int columns) { (void)model, (void)columns; }
void screen_model_thaw(screen_model *model, int rows, int columns, bool wraps) {
    (void)model, (void)rows, (void)columns, (void)wraps;
}
void screen_model_erase_live_rows(screen_model *model) { (void)model; }
const uint8_t *screen_model_take_output(screen_model *model, size_t *count) { return (void)model, *count = 0, NULL; }
const uint8_t *screen_model_take_answers(screen_model *model, size_t *count) { return (void)model, *count = 0, NULL; }

#endif
