/* Writes cases as event logs, for languages that decide logs. */
#include "case_counts.h"
#include "case_internal.h"

#include "settle_policy.h"

#include <string.h>

/* A log has no requests, and connects whom it names. */
static bool fits_log(const case_run *run) {
    for (size_t i = 0; i < run->count; i++) {
        const settle_event *event = &run->steps[i].event;
        if (run->steps[i].kind == CASE_CONNECT || run->steps[i].kind == CASE_POLICY) return false;
        if (run->steps[i].kind != CASE_EVENT) continue;
        bool is_of_log =
            event->kind == SETTLE_GEOMETRY || event->kind == SETTLE_POINTER || event->kind >= SETTLE_FINISHED;
        if (!is_of_log) return false;
    }
    return true;
}

static void write_event(const settle_event *event, FILE *file) {
    unsigned long long at_ns = event->at_ns;
    if (event->kind == SETTLE_POINTER) {
        fprintf(file, "{\"t_ns\":%llu,\"kind\":\"pointer\",\"button\":%u,\"pressed\":%s}\n", at_ns, event->button,
                event->flags & SETTLE_PRESSED ? "true" : "false");
        return;
    }
    fprintf(file, "{\"t_ns\":%llu,\"scene\":\"%u\"", at_ns, event->scene);
    if (event->kind == SETTLE_CONNECT || event->kind == SETTLE_DISCONNECT)
        fprintf(file, ",\"kind\":\"%s\"", settle_event_kind_name(event->kind));
    if (event->kind >= SETTLE_FINISHED) {
        fprintf(file, ",\"kind\":\"%s\",\"generation\":%u,\"cost_ns\":%llu", settle_event_kind_name(event->kind),
                (unsigned)event->generation, (unsigned long long)event->cost_ns);
        if (event->flags & SETTLE_GIVEN_UP) fprintf(file, ",\"kept\":false");
    }
    if (event->kind == SETTLE_GEOMETRY && event->flags & SETTLE_SIZE_KNOWN)
        fprintf(file, ",\"width\":%.17g,\"height\":%.17g", event->width, event->height);
    if (event->flags & SETTLE_RESIZING_KNOWN)
        fprintf(file, ",\"resizing\":%s", event->flags & SETTLE_RESIZING ? "true" : "false");
    if (event->flags & SETTLE_LOCKED_KNOWN)
        fprintf(file, ",\"locked\":%s", event->flags & SETTLE_LOCKED ? "true" : "false");
    unsigned orientation = (event->flags & SETTLE_ORIENTATION_MASK) >> SETTLE_ORIENTATION_SHIFT;
    if (orientation) fprintf(file, ",\"orientation\":\"%s\"", settle_orientation_name(orientation));
    fprintf(file, "}\n");
}

static void write_decision(const settle_decision *decision, bool is_counted, FILE *file) {
    fprintf(file, "{\"t_ns\":%llu,\"scene\":\"%u\",\"kind\":\"%s\"", (unsigned long long)decision->at_ns,
            decision->scene, settle_decision_kind_name(decision->kind));
    if (decision->kind == SETTLE_REBUILD || decision->kind == SETTLE_PREVIEW)
        fprintf(file, ",\"width\":%.17g,\"height\":%.17g", decision->width, decision->height);
    if (decision->reason != SETTLE_REASON_NONE)
        fprintf(file, ",\"reason\":\"%s\"", settle_reason_name(decision->reason));
    if (is_counted && (decision->kind == SETTLE_REBUILD || decision->kind == SETTLE_PREVIEW))
        fprintf(file, ",\"generation\":%u", decision->generation);
    if (decision->kind == SETTLE_REBUILD && decision->prepared) fprintf(file, ",\"prepared\":true");
    if (decision->kind == SETTLE_REBUILD && !decision->follows_interaction && decision->feedback)
        fprintf(file, ",\"feedback\":true");
    if (decision->kind == SETTLE_LOCK_CHANGED) fprintf(file, ",\"locked\":%s", decision->locked ? "true" : "false");
    fprintf(file, "}\n");
}

void case_write_policy(const settle_policy *policy, FILE *file) {
    char text[SETTLE_DURATION_BYTES];
    const uint64_t *values = &policy->size + 1;
    for (uint32_t field = 0; settle_policy_field_at(field); field++) {
        fprintf(file, "%s\"%s\":", field ? "," : "{", settle_policy_field_at(field)->name);
        fprintf(file, "\"%.*s\"", (int)settle_policy_write(field, values[field], text), text);
    }
    fprintf(file, "}");
}

bool case_write_events(const case_run *run, bool has_policy, FILE *log) {
    for (size_t i = 0; i < run->count; i++) {
        const settle_event *event = &run->steps[i].event;
        if (run->steps[i].kind == CASE_EVENT && settle_event_rejection(event) != SETTLE_NOT_REJECTED) return false;
    }
    fprintf(log, "{\"settle\":\"events\",\"version\":1,\"name\":\"%s\"", run->name);
    if (has_policy) fprintf(log, ",\"policy\":"), case_write_policy(&run->policy, log);
    fprintf(log, "}\n");
    for (size_t i = 0; i < run->count; i++) {
        if (run->steps[i].kind == CASE_EVENT) write_event(&run->steps[i].event, log);
    }
    return true;
}

bool case_write_log(const case_run *run, FILE *log, FILE *decided) {
    static case_list list;
    if (!fits_log(run) || !case_write_events(run, true, log)) return false;
    case_play_log(run, &list);
    const bool is_counted =
        run->policy.live_share_percent != SETTLE_NEVER || run->policy.pause_share_percent != SETTLE_NEVER;
    for (size_t i = 0; i < list.count; i++) write_decision(&list.decisions[i], is_counted, decided);
    return true;
}
