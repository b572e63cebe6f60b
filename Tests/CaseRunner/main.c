/* Runs cases: cases [--only TEXT | --logs FOLDER] FILE...
 * With --logs, writes those that a log can have as FOLDER/NUMBER.jsonl and FOLDER/NUMBER.decisions.jsonl. Prints each that fails, and at the end how many passed. Status 1 if one failed, 2 if a file is no case file. */
#include "case_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes a run's log into a folder; false if that fails. */
static bool write_log(const case_run *run, const char *folder, unsigned number) {
    FILE *files[2];
    char paths[2][1024];
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%03u%s.jsonl", folder, number, i ? ".decisions" : "");
        files[i] = fopen(paths[i], "wb");
        if (files[i] == NULL) return false;
    }
    bool is_log = case_write_log(run, files[0], files[1]);
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

int main(int count, char **arguments) {
    case_run run;
    case_decisions decisions;
    const char *only = "", *folder = NULL;
    unsigned passed = 0, failed = 0, ways = 0;
    int first = 1;
    if (count > 2 && strcmp(arguments[1], "--only") == 0) only = arguments[2], first = 3;
    if (count > 2 && strcmp(arguments[1], "--logs") == 0) folder = arguments[2], first = 3;
    if (first >= count) return fprintf(stderr, "usage: cases [--only TEXT | --logs FOLDER] FILE...\n"), 2;
    for (int i = first; i < count; i++) {
        char *text = read_file(arguments[i]);
        if (text == NULL) return fprintf(stderr, "cases: %s cannot be read\n", arguments[i]), 2;
        case_reader reader;
        case_start(&reader, text);
        int read;
        while ((read = case_next(&reader, &run)) > 0) {
            if (strstr(run.name, only) == NULL) continue;
            ways++;
            bool is_right = case_check(&run, &decisions) && case_check_ways(&run, &decisions, &ways);
            if (folder && !write_log(&run, folder, passed + failed))
                return fprintf(stderr, "cases: %s cannot be written\n", folder), 2;
            passed += is_right;
            failed += !is_right;
            if (!is_right) fprintf(stderr, "%s:%d: %s\n%s\n", arguments[i], run.line, run.name, case_problem());
        }
        if (read < 0) return fprintf(stderr, "cases: %s: %s\n", arguments[i], case_problem()), 2;
        free(text);
    }
    printf("cases: %u runs in %u ways\n%u passed, %u failed\n", passed + failed, ways, passed, failed);
    return failed || passed == 0;
}
