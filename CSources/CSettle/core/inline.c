/* The inline functions of settle.h as functions of the library: for languages that cannot call inline ones. */
#define SETTLE_INLINE
#include "settle.h"
