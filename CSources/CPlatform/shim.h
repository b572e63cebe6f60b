#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
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

/* Of which of two descriptors a read would not block: 1 for the first, 2 for the second, 3 for both.
 * Waits for one up to a number of nanoseconds; a negative one waits for as long as it takes. A
 * negative descriptor is ignored. 0 at a signal. glibc declares ppoll only to programs that ask for all of GNU. */
int ppoll(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
static inline int settle_is_readable(int first, int second, int64_t nanoseconds) {
    struct pollfd waiting[2] = {{first, POLLIN, 0}, {second, POLLIN, 0}};
    struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    if (ppoll(waiting, 2, nanoseconds < 0 ? 0 : &time, 0) <= 0) return 0;
    return (waiting[0].revents != 0) | (waiting[1].revents != 0) << 1;
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
    ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (received < 0) return -1;
    *lost = message.msg_flags & MSG_CTRUNC;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        size_t passed = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(descriptors + *count, CMSG_DATA(part), passed * sizeof(int));
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
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Lets processes whose parents end become children of this one; 0 or -1 with errno. prctl has a
 * variable number of arguments, which Swift cannot pass. */
static inline int settle_adopt_descendants(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }
