#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <uv.h>

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
