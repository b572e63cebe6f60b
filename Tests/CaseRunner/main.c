/* Runs cases: cases [--only TEXT | --logs FOLDER] FILE...
 * A file's folder says what its cases are: counts, one of the table below, or another; these are rules. With --logs, writes
 * those of rules that a log can have as FOLDER/NUMBER.jsonl and NUMBER.decisions.jsonl, and of counts as NUMBER.counts and
 * NUMBER.counted. Prints each that fails, and at
 * the end how many passed. Status 1 if one failed, 2 if a file is no case file. */
#include "case_counts.h"
#include "case_pairs.h"
#include "case_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes a run's log into a folder, and what it decides or what is counted of it; false if that fails. */
static bool write_log(const case_run *run, const char *folder, unsigned number, bool is_counted) {
    static const char *const ends[] = {".jsonl", ".decisions.jsonl", ".counts", ".counted"};
    FILE *files[2];
    char paths[2][1024];
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%03u%s", folder, number, ends[2 * is_counted + i]);
        files[i] = fopen(paths[i], "wb");
        if (files[i] == NULL) return false;
    }
    bool is_log = is_counted ? case_write_events(run, false, files[0]) && case_write_asked(run, files[1])
                             : case_write_log(run, files[0], files[1]);
    if (fclose(files[0]) | fclose(files[1])) return false;
    return is_log || (remove(paths[0]) | remove(paths[1])) == 0;
}

/* A file's text with a zero byte behind it; null for none. */
static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file == NULL) return NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        text = size < 0 ? NULL : calloc((size_t)size + 1, 1);
        if (text && fread(text, 1, (size_t)size, file) != (size_t)size) free(text), text = NULL;
    }
    fclose(file);
    return text;
}

/* Runs the cases of rules, or of counts, in a text; false, with what is wrong in case_problem(), for a text that is no case file. */
static bool run_logs(char *text, const char *path, const char *only, const char *folder, case_counts *counts) {
    const bool is_counted = strstr(path, "counts/") != NULL;
    case_run run;
    case_decisions decisions;
    case_reader reader;
    int read;
    case_start(&reader, text);
    while ((read = case_next(&reader, &run)) > 0) {
        if (strstr(run.name, only) == NULL) continue;
        counts->ways++;
        bool is_right = is_counted ? case_check_counts(&run, &counts->ways)
                                   : case_check(&run, &decisions) && case_check_ways(&run, &decisions, &counts->ways);
        if (!is_right) fprintf(stderr, "%s:%d: %s\n%s\n", path, run.line, run.name, case_problem());
        if (folder && !write_log(&run, folder, counts->passed + counts->failed, is_counted)) {
            fprintf(stderr, "cases: %s cannot be written\n", folder);
            exit(2);
        }
        counts->passed += is_right;
        counts->failed += !is_right;
    }
    return read == 0;
}

/* The folders of cases that are inputs with their answers. */
static const struct {
    const char *folder;
    case_answer *answer;
} pairs[] = {{"policies/", case_policy_answer}, {"lines/", case_line_answer},    {"advice/", case_advice_answer},
             {"sums/", case_sums_answer},       {"window/", case_window_answer}, {"core/", case_call_answer},
             {"formats/", case_format_answer},  {"binary/", case_binary_answer}, {"streams/", case_stream_answer}};

int main(int count, char **arguments) {
    const char *only = "", *folder = NULL;
    case_counts counts = {0};
    int first = 1;
    if (count > 2 && strcmp(arguments[1], "--only") == 0) only = arguments[2], first = 3;
    if (count > 2 && strcmp(arguments[1], "--logs") == 0) folder = arguments[2], first = 3;
    if (first >= count) return fprintf(stderr, "usage: cases [--only TEXT | --logs FOLDER] FILE...\n"), 2;
    for (int i = first; i < count; i++) {
        const char *path = arguments[i];
        char *text = read_file(path);
        if (text == NULL) return fprintf(stderr, "cases: %s cannot be read\n", path), 2;
        bool is_read = true, is_pairs = false;
        for (size_t kind = 0; kind < sizeof pairs / sizeof *pairs && !is_pairs; kind++) {
            is_pairs = strstr(path, pairs[kind].folder) != NULL;
            if (is_pairs) is_read = case_run_pairs(text, path, only, pairs[kind].answer, &counts);
        }
        if (!is_pairs) is_read = run_logs(text, path, only, folder, &counts);
        if (!is_read) return fprintf(stderr, "cases: %s: %s\n", path, case_problem()), 2;
        free(text);
    }
    printf("cases: %u runs in %u ways\n%u passed, %u failed\n", counts.passed + counts.failed, counts.ways,
           counts.passed, counts.failed);
    return counts.failed || counts.passed == 0;
}
