/* What Swift needs of the system in C. Only the branches of Linux with glibc are run. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <crt_externs.h>
#include <sys/event.h>
#else
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
/* glibc and Musl declare these, and struct ucred, only to programs that ask for all of GNU. */
int ppoll(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
int pipe2(int[2], int);
long syscall(long, ...);
enum { settle_epoll_in = EPOLLIN, settle_epoll_out = EPOLLOUT };
#endif

/* The time of the monotonic clock, which does not count the time for which the machine is suspended. */
static inline uint64_t settle_now_ns(void) {
    struct timespec time;
#ifdef __APPLE__
    clock_gettime(CLOCK_UPTIME_RAW, &time);
#else
    clock_gettime(CLOCK_MONOTONIC, &time);
#endif
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Closes a descriptor in programs that the process starts. Writing to a socket whose other end has gone is an error,
 * and no signal: where the call has no flag for that, by the socket. */
static inline void settle_keep_to_process(int descriptor) {
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
#ifdef __APPLE__
    int on = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
}
#ifdef __APPLE__
enum { settle_send_flags = MSG_DONTWAIT, settle_receive_flags = MSG_DONTWAIT };
#else
enum { settle_send_flags = MSG_DONTWAIT | MSG_NOSIGNAL, settle_receive_flags = MSG_DONTWAIT | MSG_CMSG_CLOEXEC };
#endif

/* A Unix-domain stream socket, closed in programs that the process starts; -1 with errno. */
static inline int settle_unix_socket(void) {
#ifdef __APPLE__
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (descriptor >= 0) settle_keep_to_process(descriptor);
    return descriptor;
#else
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
#endif
}

/* A pipe that does not block, closed in programs that the process starts; 0 or -1 with errno. */
static inline int settle_pipe(int *reading, int *writing) {
    int ends[2];
#ifdef __APPLE__
    if (pipe(ends) != 0) return -1;
    for (int i = 0; i < 2; i++) {
        settle_keep_to_process(ends[i]);
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
    }
#else
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
#endif
    *reading = ends[0];
    *writing = ends[1];
    return 0;
}

/* The environment: a name, = and a value each; a null pointer ends it. */
static inline char **settle_environment(void) {
#ifdef __APPLE__
    return *_NSGetEnviron();
#else
    extern char **environ;
    return environ;
#endif
}

/* How many descriptors the process may have open. */
static inline uint64_t settle_descriptor_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 1024;
}

/* Forces a file's bytes onto the disk; 0 or -1 with errno. */
static inline int settle_sync_data(int descriptor) {
#ifdef __APPLE__
    return fcntl(descriptor, F_FULLFSYNC);
#else
    return fdatasync(descriptor);
#endif
}

/* Who is at the other end of a Unix-domain socket, as the kernel knows it; 0 or -1 with errno. */
static inline int settle_peer_credentials(int descriptor, unsigned *user, int *process) {
#ifdef __APPLE__
    gid_t group;
    socklen_t size = sizeof *process;
    return getpeereid(descriptor, user, &group) | getsockopt(descriptor, SOL_LOCAL, LOCAL_PEERPID, process, &size);
#else
    struct { int process; unsigned user, group; } peer = {0, 0, 0};
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
    *user = peer.user;
    *process = peer.process;
    return 0;
#endif
}

/* Of which of two descriptors a read would not block: 1 for the first, 2 for the second, 3 for both.
 * Waits for one up to a number of nanoseconds; a negative one waits for as long as it takes. A
 * negative descriptor is ignored. 0 at a signal. */
static inline int settle_is_readable(int first, int second, int64_t nanoseconds) {
    struct pollfd waiting[2] = {{first, POLLIN, 0}, {second, POLLIN, 0}};
#ifdef __APPLE__
    /* poll counts milliseconds: up, so that no wait is too short. */
    int64_t milliseconds = nanoseconds / 1000000 + (nanoseconds % 1000000 > 0);
    if (poll(waiting, 2, nanoseconds < 0 ? -1 : milliseconds < INT_MAX ? (int)milliseconds : INT_MAX) <= 0) return 0;
#else
    struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    if (ppoll(waiting, 2, nanoseconds < 0 ? 0 : &time, 0) <= 0) return 0;
#endif
    return (waiting[0].revents != 0) | (waiting[1].revents != 0) << 1;
}

/* The processors that this process may run on; 0 if that is unknown. */
static inline int settle_processors(void) {
#ifdef __APPLE__
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
#else
    unsigned long set[1024 / 8 / sizeof(long)] = {0};
    int count = 0;
    if (syscall(SYS_sched_getaffinity, 0, sizeof set, set) < 0) return 0;
    for (unsigned i = 0; i < sizeof set / sizeof *set; i++) count += __builtin_popcountl(set[i]);
    return count;
#endif
}

/* A descriptor that is readable when a process has ended; -1 with errno. */
static inline int settle_pidfd_open(int process) {
#ifdef __APPLE__
    int queue = kqueue();
    struct kevent end;
    EV_SET(&end, process, EVFILT_PROC, EV_ADD, NOTE_EXIT, 0, 0);
    if (queue < 0 || kevent(queue, &end, 1, 0, 0, 0) == 0) return queue;
    /* It has ended already: a timer without delay is readable at once. */
    EV_SET(&end, process, EVFILT_TIMER, EV_ADD | EV_ONESHOT, 0, 0, 0);
    if (errno == ESRCH && kevent(queue, &end, 1, 0, 0, 0) == 0) return queue;
    close(queue);
    return -1;
#else
    /* glibc has a function for it only from 2.36 on. */
    return (int)syscall(SYS_pidfd_open, process, 0);
#endif
}

/* The most descriptors that Linux passes in one message (SCM_MAX_FD). */
enum { settle_descriptors_max = 253 };

/* Receives bytes of a Unix-domain stream, and the descriptors that came with them, which are
 * closed in programs that the process starts. Does not block. Sets the number of descriptors, and
 * whether some were lost because the process has no room for more. Returns the number of bytes, 0
 * at the end of the stream, or -1 with errno. */
static inline ssize_t settle_receive_descriptors(
    int socket, void *bytes, size_t size, int *descriptors, unsigned *count, bool *lost) {
    union { struct cmsghdr header; char bytes[CMSG_SPACE(settle_descriptors_max * sizeof(int))]; } control;
    struct iovec data = {bytes, size};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    *count = 0;
    ssize_t received = recvmsg(socket, &message, settle_receive_flags);
    if (received < 0) return -1;
    *lost = message.msg_flags & MSG_CTRUNC;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        size_t passed = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(descriptors + *count, CMSG_DATA(part), passed * sizeof(int));
#ifdef __APPLE__
        for (size_t i = 0; i < passed; i++) fcntl(descriptors[*count + i], F_SETFD, FD_CLOEXEC);
#endif
        *count += (unsigned)passed;
    }
    return received;
}

/* Sends bytes on a Unix-domain stream, at most settle_descriptors_max descriptors with the first of
 * them. Does not block, and raises no SIGPIPE. Returns the number of bytes sent, or -1 with errno;
 * the descriptors are sent if any byte is, and stay open here. */
static inline ssize_t settle_send_descriptors(
    int socket, const void *bytes, size_t size, const int *descriptors, unsigned count) {
    union { struct cmsghdr header; char bytes[CMSG_SPACE(settle_descriptors_max * sizeof(int))]; } control;
    struct iovec data = {(void *)bytes, size};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    if (count > 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(&control.header), descriptors, count * sizeof(int));
    }
    return sendmsg(socket, &message, settle_send_flags);
}

/* Lets processes whose parents end become children of this one; 0 or -1 with errno. prctl has a
 * variable number of arguments, which Swift cannot pass. */
static inline int settle_adopt_descendants(void) {
#ifdef __APPLE__
    errno = ENOTSUP;
    return -1;
#else
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
}
