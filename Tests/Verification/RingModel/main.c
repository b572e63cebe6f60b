/* Runs the litmus tests, and every program over the ring. Exits with 1 when a verdict is wrong or the ring
 * fails. */
#include "programs.h"

#include <stdio.h>

int main(void) {
    unsigned failed = 0, cases = litmus_run(&failed);
    unsigned passed = cases - failed;
    printf("litmus tests: %u of %u right\n", passed, cases);
    for (size_t i = 0; i < ring_programs_count; i++) {
        const ring_program *program = &ring_programs[i];
        model_result result = ring_program_run(program);
        *(result.problem ? &failed : &passed) += 1;
        printf("%s: %llu executions, %s\n", program->name, (unsigned long long)result.executions,
               result.problem ? result.problem : "all right");
        fflush(stdout);
        if (result.problem) ring_program_tell(program);
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
