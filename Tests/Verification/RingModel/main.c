/* Runs the litmus tests, every program over the unchanged ring, and every program over the
 * ring with each of its memory orders weakened. Exits with 1 when a verdict is wrong, the
 * ring fails or a weaker ring passes. With --model-only: only the litmus tests. */
#include "litmus.h"
#include "programs.h"

#include <stdio.h>
#include <string.h>

enum { RANDOM_PROGRAMS = 120 };

static unsigned passed, failed;

static void count(bool is_right) {
    if (is_right) passed++;
    else failed++;
}

static void tell(const char *what, const litmus_count *run) {
    passed += run->cases - run->wrong;
    failed += run->wrong;
    printf("%s: %u of %u right, %llu executions, %llu with the reduction\n", what, run->cases - run->wrong, run->cases,
           (unsigned long long)run->executions, (unsigned long long)run->executions_reduced);
    fflush(stdout);
}

static void check_model(void) {
    litmus_count litmus = {0}, programs = {0};
    litmus_run(&litmus);
    tell("litmus tests", &litmus);
    random_programs_run(RANDOM_PROGRAMS, &programs);
    tell("random programs, outcomes the same with the reduction", &programs);
}

static void check_ring(void) {
    const model_mutation *as_it_is = NULL;
    for (size_t i = 0; i < ring_programs_count; i++) {
        const ring_program *program = &ring_programs[i];
        model_result result = ring_program_run(program, as_it_is);
        count(!result.problem);
        printf("%s: %llu executions, %s\n", program->name, (unsigned long long)result.executions,
               result.problem ? result.problem : "all right");
        fflush(stdout);
        if (result.problem) ring_program_tell(program, as_it_is);
    }
    model_result careless = ring_program_run(&careless_program, as_it_is);
    count(careless.problem != NULL);
    printf("%s: %s\n", careless_program.name, careless.problem ? careless.problem : "NOT CAUGHT");
}

static const char *order_name(memory_order order) {
    switch (order) {
    case memory_order_relaxed: return "relaxed";
    case memory_order_acquire: return "acquire";
    case memory_order_release: return "release";
    case memory_order_acq_rel: return "acq_rel";
    case memory_order_seq_cst: return "seq_cst";
    default: return "consume";
    }
}

static void check_mutant(const model_site_met *met, model_mutation mutation, const char *how) {
    const char *problem = NULL;
    for (size_t i = 0; i < ring_programs_count && !problem; i++) {
        problem = ring_program_run(&ring_programs[i], &mutation).problem;
    }
    count(problem != NULL);
    printf("%s, %s %s: %s\n", met->site.function, met->kind, how, problem ? problem : "NOT CAUGHT");
    fflush(stdout);
}

static void check_weaker(const model_site_met *met, memory_order order) {
    char how[64];
    snprintf(how, sizeof how, "%s instead of %s", order_name(order), order_name(met->order));
    check_mutant(met, (model_mutation){met->site, order, false}, how);
}

/* Each order that is strong is needed, down to the next weaker one and to none. */
static void check_mutants(void) {
    const model_site_met *sites;
    size_t sites_count = model_sites(&sites);
    for (size_t i = 0; i < sites_count; i++) {
        const model_site_met *met = &sites[i];
        if (met->order == memory_order_seq_cst) check_weaker(met, memory_order_acq_rel);
        if (met->order == memory_order_seq_cst || met->order == memory_order_acq_rel) {
            check_weaker(met, memory_order_release);
            check_weaker(met, memory_order_acquire);
        }
        if (met->order != memory_order_relaxed) check_weaker(met, memory_order_relaxed);
        if (met->kind[0] == 'e') check_mutant(met, (model_mutation){met->site, met->order, true}, "torn in two");
    }
}

int main(int argc, char **argv) {
    check_model();
    if (argc < 2 || strcmp(argv[1], "--model-only") != 0) {
        check_ring();
        check_mutants();
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
