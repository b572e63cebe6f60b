#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>

/* Who is at the other end of a Unix-domain socket, as the kernel knows it; 0 or -1
 * with errno. glibc declares struct ucred only to programs that ask for all of GNU. */
static inline int settle_peer_credentials(int descriptor, unsigned *user, int *process) {
    struct { int process; unsigned user, group; } peer = {0, 0, 0};
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
    *user = peer.user;
    *process = peer.process;
    return 0;
}

/* Whether a read of one of two descriptors would not block, waiting for that up to a number of
 * nanoseconds; a negative one waits for as long as it takes. A negative descriptor is ignored.
 * False at a signal. glibc declares ppoll only to programs that ask for all of GNU. */
int ppoll(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
static inline int settle_is_readable(int first, int second, int64_t nanoseconds) {
    struct pollfd waiting[2] = {{first, POLLIN, 0}, {second, POLLIN, 0}};
    struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    return ppoll(waiting, 2, nanoseconds < 0 ? 0 : &time, 0) > 0;
}

/* The processors that this process may run on; 0 if that is unknown.
 * glibc declares sched_getaffinity only to programs that ask for all of GNU. */
int sched_getaffinity(pid_t, size_t, cpu_set_t *);
static inline int settle_processors(void) {
    cpu_set_t set;
    int count = 0;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
    for (unsigned i = 0; i < sizeof set.__bits / sizeof *set.__bits; i++) count += __builtin_popcountl(set.__bits[i]);
    return count;
}

/* A descriptor that is readable when a process has ended; -1 with errno. glibc has a function
 * for it only from 2.36 on. */
long syscall(long, ...);
static inline int settle_pidfd_open(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

/* POSIX_SPAWN_SETSID, which glibc declares only to programs that ask for all of GNU. */
enum { settle_spawn_setsid = 0x80 };
