#include <sys/timerfd.h>
#include <uv.h>
