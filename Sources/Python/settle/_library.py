"""The shared library libsettle.so, called by cffi in its ABI mode. Calls release the GIL."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any

import cffi

ffi = cffi.FFI()

#: As in the headers of CSources/CSettle/include; the tests compare sizes, offsets and prototypes with them.
DECLARATIONS = """
#define SETTLE_SWEEP_REASONS 7
#define SETTLE_LAG_BUCKETS 1153
#define SETTLE_EXERCISED_LEAST 30
#define SETTLE_LOG_EVENTS_MAX 65536
#define SETTLE_LOG_EVENT_BYTES_MAX 32

typedef uint32_t settle_scene;
typedef struct { uint64_t at_ns; double width, height; uint32_t scene; uint16_t kind, flags; } settle_event;
typedef struct { uint64_t at_ns; double width, height; uint32_t name; uint16_t kind, flags; } settle_log_event;
typedef struct {
    uint64_t at_ns;
    double width, height, previous_width, previous_height;
    uint64_t interaction_ns;
    uint32_t scene, generation, coalesced;
    uint8_t kind, reason, locked, follows_interaction;
} settle_decision;
typedef struct {
    uint64_t size, first_delay_ns, reported_end_delay_ns, released_end_delay_ns, discrete_delay_ns,
        quiet_delay_ns, quiet_maximum_ns, jump_delay_ns, lock_delay_ns, pause_delay_ns, maximum_wait_ns,
        interaction_timeout_ns;
} settle_policy;
typedef struct {
    const char *name, *label, *meaning;
    uint64_t longest_ns;
    uint32_t may_be_none, in_grid, slider_most_ms, slider_step_ms, slider_start_ms;
} settle_policy_field;
typedef struct {
    uint64_t size;
    uint32_t scenes_max, decisions_max, policies_max, previews;
    settle_policy policy;
} settle_config;
typedef struct settle_core settle_core;

uint32_t settle_version(void);
const char *settle_version_string(void);
const char *settle_event_kind_name(unsigned kind);
const char *settle_decision_kind_name(unsigned kind);
const char *settle_reason_name(unsigned reason);
int settle_policy_init_default(settle_policy *policy, size_t size);
int settle_policy_init_uikit(settle_policy *policy, size_t size);
const settle_policy_field *settle_policy_field_at(uint32_t field);
bool settle_duration_read(const char *text, size_t count, uint64_t *duration_ns);
size_t settle_duration_write(uint64_t duration_ns, char *text);
void settle_policy_fit(settle_policy *policy, uint32_t given);
int settle_policy_check(const settle_policy *policy, uint32_t *field);
int settle_config_init_default(settle_config *config, size_t size);
size_t settle_core_size(const settle_config *config);
int settle_core_init(void *workspace, size_t size, const settle_config *config, settle_core **out);
int settle_core_connect(settle_core *core, uint32_t policy, settle_scene *scene);
int settle_core_submit(settle_core *core, const settle_event *events, size_t count, size_t *accepted);
int settle_core_finish(settle_core *core);
int settle_core_pop_decisions(settle_core *core, settle_decision *decisions, size_t capacity, size_t *popped);
uint32_t settle_core_slot(const settle_core *core, settle_scene scene);

typedef struct {
    uint64_t first_ns, last_ns;
    uint32_t body_bytes, events, scenes, dictionary_bytes, body_crc;
} settle_log_chunk;
typedef struct { double width, height; } settle_log_size;
typedef struct { uint64_t offset, first_ns, last_ns; uint32_t events, bytes; } settle_log_index_entry;
uint32_t settle_crc32c(uint32_t crc, const void *bytes, size_t count);
void settle_log_write_file_header(unsigned char *bytes, uint32_t metadata_bytes);
void settle_log_write_chunk_header(unsigned char *bytes, const settle_log_chunk *chunk);
size_t settle_log_encode(const settle_log_chunk *chunk, const settle_log_event *events, settle_log_size *sizes,
                         unsigned char *out);
void settle_log_write_footer_header(unsigned char *bytes, uint32_t chunks, uint64_t events);
void settle_log_write_footer_entry(unsigned char *bytes, const settle_log_index_entry *entry);
void settle_log_write_footer_tail(unsigned char *bytes, uint32_t crc, uint32_t chunks);

typedef struct { uint64_t first; size_t from, count; } settle_log_name;
typedef struct {
    const unsigned char *bytes;
    const settle_log_name *names;
    const uint32_t *slots;
    size_t slots_mask;
    uint64_t seed[2];
} settle_log_names;
uint64_t settle_log_name_first(const unsigned char *name, size_t count);
uint64_t settle_log_name_hash(const settle_log_names *names, const unsigned char *name, size_t count);
size_t settle_log_read_json_lines(const unsigned char *bytes, size_t count, size_t line_bytes_max,
                                  const settle_log_names *names, settle_log_event *events, size_t capacity,
                                  size_t *used);

enum { SETTLE_FORMAT_JSON_LINES = 1, SETTLE_FORMAT_BINARY = 2, SETTLE_FORMATS = 7 };
const char *settle_log_format_name(int format);
const char *settle_log_format_extension(int format);
int settle_log_format_detect(const unsigned char *bytes, size_t count, bool is_all);
int settle_log_find_foreign(const unsigned char *bytes, size_t count, bool is_all);
const char *settle_log_foreign_problem(int foreign);

typedef struct {
    const unsigned char *bytes;
    size_t count, at, problem_count;
    char problem[480];
} settle_json;
typedef struct { const unsigned char *bytes; size_t count, decoded; } settle_json_string;
typedef struct { settle_log_event event; settle_json_string scene; bool has_short_size; } settle_json_event;
typedef struct {
    settle_json_string clock, unit, source, name;
    bool has_policy;
    settle_policy policy;
} settle_json_header;
typedef double (*settle_json_double)(const char *text, size_t count);
void settle_json_start(settle_json *json, const void *bytes, size_t count);
int settle_json_peek(settle_json *json);
bool settle_json_next_member(settle_json *json, bool *is_first, settle_json_string *key);
bool settle_json_skip_value(settle_json *json);
void settle_json_decode(const settle_json_string *string, unsigned char *out);
bool settle_json_read_event(settle_json *json, settle_json_double parse, settle_json_event *event);
bool settle_json_read_header(settle_json *json, settle_json_header *header);
bool settle_json_read_policy(settle_json *json, settle_policy *policy);

typedef struct {
    const unsigned char *bytes;
    size_t count;
    const unsigned char *metadata;
    size_t metadata_bytes, chunks_begin, chunks_end, damaged_at;
    uint32_t damage;
    bool salvages;
    uint64_t events, names;
    uint32_t chunk_names;
} settle_log_whole;
typedef struct {
    settle_log_event *events;
    size_t count;
    settle_log_names names;
    uint32_t names_count, damage;
    size_t damaged_at;
} settle_log_contents;
int settle_log_measure(const unsigned char *bytes, size_t count, bool salvages, settle_log_whole *whole);
size_t settle_log_whole_size(const settle_log_whole *whole);
int settle_log_read_whole(const settle_log_whole *whole, const uint64_t seed[2], void *memory, size_t size,
                          settle_log_contents *contents);

typedef struct {
    uint64_t rebuilds[7];
    uint64_t previews, wasted, released;
    uint64_t lag[1153];
} settle_sweep_counts;
typedef struct { uint32_t name, events; size_t first; } settle_sweep_scene;
typedef struct {
    const settle_event *events;
    size_t count;
    const settle_sweep_scene *scenes;
    const uint64_t *changed_ns;
    uint32_t connections;
} settle_sweep_log;
uint32_t settle_lag_bucket(uint64_t lag_ns);
uint64_t settle_lag_bucket_first_ns(uint32_t bucket);
uint64_t settle_lag_bucket_last_ns(uint32_t bucket);
uint64_t settle_lag_quantile(const uint64_t *lag, uint32_t permille);
size_t settle_sweep_connections(const settle_log_event *events, size_t count, uint32_t names, bool *scratch);
size_t settle_sweep_log_size(size_t count, uint32_t names, size_t connections);
int settle_sweep_bind(settle_log_event *events, size_t count, uint32_t names, size_t connections, void *memory,
                      size_t size, settle_sweep_log *log);
size_t settle_sweep_size(const settle_sweep_log *log);
int settle_sweep_run(void *workspace, size_t size, const settle_sweep_log *log, const settle_policy *policies,
                     size_t policies_count, settle_sweep_counts *counts);
uint32_t settle_grid_count(void);
bool settle_grid_policy(const settle_policy *base, uint32_t index, settle_policy *policy);
typedef struct {
    uint64_t rebuilds, wasted;
    uint32_t lag_bucket, median_lag_bucket;
    uint64_t changes;
} settle_front_point;
size_t settle_front(const settle_front_point *points, uint32_t count, uint32_t *indices, uint32_t *knee);
uint32_t settle_policy_changes(const settle_policy *policy, const settle_policy *today);
uint32_t settle_unexercised(const settle_sweep_counts *counts);
uint32_t settle_advise(const settle_front_point *points, uint32_t count, uint32_t today, uint32_t kept,
                       uint32_t lag_bucket_max, uint64_t wasted_max);

typedef struct { double width, height; uint64_t changed_ns, fires_ns, fired_ns; } settle_baseline_scene;
typedef struct { uint64_t every_change, every_change_wasted, debounce, debounce_wasted; } settle_baselines;
void settle_baselines_start(settle_baseline_scene *scenes, size_t names);
void settle_baselines_add(settle_baseline_scene *scenes, const settle_log_event *events, size_t count,
                          settle_baselines *counts);
void settle_baselines_finish(const settle_baseline_scene *scenes, size_t names, settle_baselines *counts);
"""

ffi.cdef(DECLARATIONS)

#: The version of the library that this package is written for: its structs may grow with a minor version.
VERSION = "0.2.0"


def _load() -> Any:
    """Loads the library of the wheel, or the one that the environment variable SETTLE_LIBRARY names."""
    path = os.environ.get("SETTLE_LIBRARY") or str(Path(__file__).with_name("libsettle.so"))
    try:
        library = ffi.dlopen(path)
        version = ffi.string(library.settle_version_string()).decode()
    except (OSError, AttributeError) as error:
        raise ImportError(
            f"settle: cannot load {path}: {error}; install the wheel that scripts/build-wheel makes for this platform"
        ) from None
    if version != VERSION:
        raise ImportError(
            f"settle: {path} is version {version}, and this package needs {VERSION}; install both from one wheel"
        )
    return library


lib = _load()


def new_seed() -> tuple[int, int]:
    """A seed for a table of names, so that nobody can choose names that collide in it."""
    return secrets.randbits(64), secrets.randbits(64)
