/* Configuration: the defaults, and structs of callers that were compiled with another version. */
#include "core_internal.h"

#define MILLISECONDS ((uint64_t)1000000)

static const settle_policy default_policy = {
    .size = sizeof(settle_policy),
    .settle_delay_ns = 50 * MILLISECONDS,
    .quiet_delay_ns = 150 * MILLISECONDS,
    .lock_delay_ns = 100 * MILLISECONDS,
    .maximum_wait_ns = SETTLE_NEVER,
    .interaction_timeout_ns = SETTLE_NEVER,
};
/* The delays are zero. */
static const settle_policy uikit_policy = {
    .size = sizeof(settle_policy),
    .maximum_wait_ns = SETTLE_NEVER,
    .interaction_timeout_ns = SETTLE_NEVER,
};

/* The sizes in the first version; no caller can have less. */
#define FIRST_POLICY_BYTES (offsetof(settle_policy, interaction_timeout_ns) + sizeof(uint64_t))
#define FIRST_CONFIG_BYTES (offsetof(settle_config, policy) + FIRST_POLICY_BYTES)

static int init_policy(settle_policy *policy, size_t size, const settle_policy *values) {
    if (!policy || size < FIRST_POLICY_BYTES || size > sizeof *policy) return SETTLE_INVALID;
    memcpy(policy, values, size);
    policy->size = size;
    return SETTLE_OK;
}

int settle_policy_init_default(settle_policy *policy, size_t size) {
    return init_policy(policy, size, &default_policy);
}

int settle_policy_init_uikit(settle_policy *policy, size_t size) { return init_policy(policy, size, &uikit_policy); }

int settle_config_init_default(settle_config *config, size_t size) {
    if (!config || size < FIRST_CONFIG_BYTES || size > sizeof *config) return SETTLE_INVALID;
    settle_config values = {size, 1024, 1024, 16, 0, default_policy};
    values.policy.size = size - offsetof(settle_config, policy);
    memcpy(config, &values, size);
    return SETTLE_OK;
}

bool settle_read_policy(const settle_policy *given, settle_policy *policy) {
    if (!given || given->size < FIRST_POLICY_BYTES || given->size > sizeof *policy) return false;
    *policy = default_policy;
    memcpy(policy, given, given->size);
    return is_policy_in_range(policy);
}

static bool is_within(uint32_t bound, uint32_t most) { return bound >= 1 && bound <= most; }

bool settle_read_config(const settle_config *config, settle_policy *policy) {
    if (!config || config->size < FIRST_CONFIG_BYTES || config->size > sizeof *config) return false;
    if (config->policy.size > config->size - offsetof(settle_config, policy)) return false;
    return is_within(config->scenes_max, SETTLE_SCENES_MAX) && is_within(config->decisions_max, SETTLE_DECISIONS_MAX) &&
           is_within(config->policies_max, SETTLE_POLICIES_MAX) && config->reserved == 0 &&
           settle_read_policy(&config->policy, policy);
}
