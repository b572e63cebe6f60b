/* The token: it is on offer, or one side has it. Whoever acquires it owns what it stands for:
 * offering releases, acquiring acquires. Acquiring releases as well: a producer that finds its
 * token acquired may reuse what the consumer had before. */
#include "ring_internal.h"

struct settle_token {
    _Alignas(64) _Atomic uint32_t offered;
};

_Static_assert(sizeof(settle_token) == SETTLE_TOKEN_BYTES, "a token has a line of its own");

settle_token *settle_token_init(void *memory) {
    settle_token *token = memory;
    atomic_init(&token->offered, 0);
    return token;
}

void settle_token_offer(settle_token *token) { atomic_store_explicit(&token->offered, 1, memory_order_release); }

bool settle_token_offered(const settle_token *token) {
    return atomic_load_explicit(&token->offered, memory_order_relaxed) != 0;
}

bool settle_token_acquire(settle_token *token) {
    return atomic_exchange_explicit(&token->offered, 0, memory_order_acq_rel) != 0;
}
