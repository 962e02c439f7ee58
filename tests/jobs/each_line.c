/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs command lines, each in a process of its own that is a copy of this one: what watches this program
 * (valgrind) starts once for all of them.
 *
 *     each_line < LINES
 *
 * A line is a folder and the words of `fathom WORD...`, separated by tabs. The command runs in the folder, with nothing on
 * its standard input and output. After each line: "exit code N" (128 + N for a signal).
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

/* The words of a line, in place: a folder, then what stands behind "fathom". */
static int split(char **words, char *line)
{
    int count = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *word = strtok(line, "\t"); word && count < CLI_ARGUMENTS; word = strtok(NULL, "\t"))
        words[count++] = word;
    words[count] = NULL;
    return count;
}

/* In the child: never returns. */
static _Noreturn void run(int count, char **words)
{
    const int nothing = open("/dev/null", O_RDWR);
    if (chdir(words[0]) != 0 || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(nothing, STDOUT_FILENO) < 0)
        _exit(1);
    close(nothing);
    words[0] = "fathom";
    exit(cli_main(count, words, NULL));
}

int main(void)
{
    char *line = NULL, *words[CLI_ARGUMENTS + 1];
    size_t capacity = 0;
    while (getline(&line, &capacity, stdin) > 0) {
        const int count = split(words, line);
        const pid_t child = fork();
        int status;
        if (child == 0)
            run(count, words);
        if (child < 0 || waitpid(child, &status, 0) != child)
            return 1;
        printf("exit code %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
        fflush(stdout);
    }
    free(line);
    return 0;
}
