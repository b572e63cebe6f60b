#include "scene_names.h"

uint64_t settle_log_name_first(const unsigned char *name, size_t count) { return first_bytes(name, count); }

uint64_t settle_log_name_hash(const settle_log_names *names, const unsigned char *name, size_t count) {
    return hash_of(names->seed, first_bytes(name, count), name, count);
}

uint32_t settle_log_find_name(const settle_log_names *names, const unsigned char *name, size_t count) {
    return find_name(names, first_bytes(name, count), name, count);
}
