/* Configuration: the defaults, and structs of callers that were compiled with another version. */
#include "core_internal.h"
#include "settle_policy.h"

#define DEFAULT(member, name, standard, uikit, ...) .member = (standard),
#define UIKIT(member, name, standard, uikit, ...) .member = (uikit),
/* The presets `prepared` and `live`: the defaults, and these. */
enum { PREPARED_PAUSE_NS = 50000000, PREPARED_SHARE_PERCENT = 50, LIVE_SHARE_PERCENT = 30, LIVE_PAUSE_NS = 50000000 };
static const settle_policy default_policy = {.size = sizeof(settle_policy), SETTLE_POLICY_FIELDS(DEFAULT)};
static const settle_policy uikit_policy = {.size = sizeof(settle_policy), SETTLE_POLICY_FIELDS(UIKIT)};

/* The sizes in the first version that has these fields; no caller can have less. A later field
 * is of eight bytes as well, so a size between two versions' is none. */
#define FIRST_POLICY_BYTES (offsetof(settle_policy, interaction_timeout_ns) + sizeof(uint64_t))
#define FIRST_CONFIG_BYTES (offsetof(settle_config, policy) + FIRST_POLICY_BYTES)

static bool is_policy_size(uint64_t size) {
    return size >= FIRST_POLICY_BYTES && size <= sizeof(settle_policy) && size % sizeof(uint64_t) == 0;
}

static bool is_config_size(uint64_t size) {
    return size >= FIRST_CONFIG_BYTES && size <= sizeof(settle_config) && size % sizeof(uint64_t) == 0;
}

static int init_policy(settle_policy *policy, size_t size, const settle_policy *values) {
    if (!policy || !is_policy_size(size)) return SETTLE_INVALID;
    memcpy(policy, values, size);
    policy->size = size;
    return SETTLE_OK;
}

int settle_policy_init_default(settle_policy *policy, size_t size) {
    return init_policy(policy, size, &default_policy);
}

int settle_policy_init_uikit(settle_policy *policy, size_t size) { return init_policy(policy, size, &uikit_policy); }

int settle_policy_init_prepared(settle_policy *policy, size_t size) {
    settle_policy values = default_policy;
    values.pause_delay_ns = PREPARED_PAUSE_NS;
    values.pause_share_percent = PREPARED_SHARE_PERCENT;
    return init_policy(policy, size, &values);
}

int settle_policy_init_live(settle_policy *policy, size_t size) {
    settle_policy values = default_policy;
    values.live_share_percent = LIVE_SHARE_PERCENT;
    values.live_pause_ns = LIVE_PAUSE_NS;
    return init_policy(policy, size, &values);
}

int settle_config_init_default(settle_config *config, size_t size) {
    if (!config || !is_config_size(size)) return SETTLE_INVALID;
    settle_config values = {size, 1024, 1024, 16, 0, default_policy};
    values.policy.size = size - offsetof(settle_config, policy);
    memcpy(config, &values, size);
    return SETTLE_OK;
}

#define IS_IN_RANGE(member, name, standard, uikit, least, most, none, ...)                                             \
    &&(policy->member - (least) <= (most) - (least) || ((none) && policy->member == SETTLE_NEVER))

static bool is_policy_in_range(const settle_policy *policy) { return true SETTLE_POLICY_FIELDS(IS_IN_RANGE); }

bool settle_read_policy(const settle_policy *given, settle_policy *policy) {
    if (!given || !is_policy_size(given->size)) return false;
    *policy = default_policy;
    memcpy(policy, given, (size_t)given->size);
    return is_policy_in_range(policy);
}

static bool is_within(uint32_t bound, uint32_t most) { return bound >= 1 && bound <= most; }

bool settle_read_config(const settle_config *config, settle_policy *policy) {
    if (!config || !is_config_size(config->size)) return false;
    if (config->policy.size > config->size - offsetof(settle_config, policy)) return false;
    return is_within(config->scenes_max, SETTLE_SCENES_MAX) && is_within(config->decisions_max, SETTLE_DECISIONS_MAX) &&
           is_within(config->policies_max, SETTLE_POLICIES_MAX) &&
           config->features <= (SETTLE_PREVIEWS | SETTLE_LIVE_REBUILDS) && settle_read_policy(&config->policy, policy);
}

#define DELAY_OF(state) (((state)&STATE_DELAY_BITS) >> DELAY_SHIFT)

policy_row settle_policy_row(const settle_policy *policy) {
    policy_row row;
    memset(&row, 0, sizeof row);
    row.extras = EXTRA_USED;
    row.first_delay_ns = policy->first_delay_ns;
    row.quiet_delay_ns = policy->quiet_delay_ns;
    row.jump_delay_ns = policy->jump_delay_ns;
    row.calm_delay_ns = policy->calm_delay_ns;
    row.lock_delay_ns = policy->lock_delay_ns;
    row.pause_delay_ns = policy->pause_delay_ns;
    row.pause_share_percent = policy->pause_share_percent;
    row.maximum_wait_ns = policy->maximum_wait_ns;
    row.interaction_timeout_ns = policy->interaction_timeout_ns;
    row.live_share_percent = policy->live_share_percent;
    row.live_limit_ns = policy->live_limit_ns;
    row.live_interval_ns = policy->live_interval_ns;
    row.live_pause_ns = policy->live_pause_ns;
    if (policy->pause_delay_ns != SETTLE_NEVER) row.extras |= EXTRA_PREVIEW;
    if (policy->live_share_percent != SETTLE_NEVER) row.extras |= EXTRA_LIVE;
    if (policy->maximum_wait_ns != SETTLE_NEVER) row.extras |= EXTRA_MAXIMUM_WAIT;
    row.delay_ns[DELAY_OF(0)] = policy->quiet_delay_ns;
    row.delay_ns[DELAY_OF(STATE_DISCRETE)] = policy->discrete_delay_ns;
    for (unsigned discrete = 0; discrete <= STATE_DISCRETE; discrete += STATE_DISCRETE) {
        row.delay_ns[DELAY_OF(STATE_INTERACTING | discrete)] = policy->interaction_timeout_ns;
        row.delay_ns[DELAY_OF(STATE_AFTER_REPORTED | discrete)] = policy->reported_end_delay_ns;
        row.delay_ns[DELAY_OF(STATE_AFTER_RELEASED | discrete)] = policy->released_end_delay_ns;
        row.delay_ns[DELAY_OF(STATE_AFTER_TIMEOUT | discrete)] = policy->reported_end_delay_ns;
    }
    row.quiet_is_fixed = policy->jump_delay_ns == SETTLE_NEVER;
    row.quiet_is_steady = row.quiet_is_fixed || policy->quiet_delay_ns <= policy->calm_delay_ns;
    return row;
}

void settle_core_read_stats(const settle_core *core, settle_stats *stats, size_t size) {
    settle_stats all = core->stats;
    all.decisions_waiting = core->decisions_waiting;
    memcpy(stats, &all, size < sizeof all ? size : sizeof all);
}
