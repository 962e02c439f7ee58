/* SPDX-License-Identifier: Apache-2.0 */
/* Children as the system has them. On Windows one is asked to end through the console that it shares. */
#include "platform_child.h"

#ifndef _WIN32

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

extern char **environ;

static const char *const PARENT = "FATHOM_PARENT"; /* environment: whose child a program is */

/* Where this program lies. */
bool fathom_platform_own_path(char path[FATHOM_CHILD_PATH])
{
#ifdef __APPLE__
    uint32_t size = FATHOM_CHILD_PATH;
    return _NSGetExecutablePath(path, &size) == 0;
#else
    const ssize_t length = readlink("/proc/self/exe", path, FATHOM_CHILD_PATH - 1);
    path[length > 0 ? length : 0] = 0;
    return length > 0;
#endif
}

/* Linux starts the very file, even where its path is another's by now. */
static const char *own_file(char path[FATHOM_CHILD_PATH])
{
#ifdef __linux__
    (void)path;
    return "/proc/self/exe";
#else
    return fathom_platform_own_path(path) ? path : NULL;
#endif
}

static int spawn_into(fathom_platform_child *child, const char *path, char *const *words,
                      posix_spawn_file_actions_t *actions)
{
    char own[FATHOM_CHILD_PATH];
    pid_t started = 0;
    if (!path)
        path = own_file(own);
    const int code = path ? posix_spawnp(&started, path, actions, NULL, words, environ) : ENOENT;
    *child = started;
    return code;
}

int fathom_platform_child_start(fathom_platform_child *child, const char *path, char *const *words,
                                bool silent, const char *output, int *read_end)
{
    int ends[2] = {-1, -1};
    posix_spawn_file_actions_t actions;
    if (!output && pipe(ends) != 0)
        return errno;
    posix_spawn_file_actions_init(&actions);
    if (silent)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (output) {
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    } else {
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_addclose(&actions, ends[0]);
        posix_spawn_file_actions_addclose(&actions, ends[1]);
    }
    const int code = spawn_into(child, path, words, &actions);
    posix_spawn_file_actions_destroy(&actions);
    if (!output) {
        close(ends[1]);
        *read_end = ends[0];
        if (code != 0)
            close(ends[0]);
    }
    return code;
}

int64_t fathom_platform_child_read(int pipe_end, char *data, size_t size, double seconds)
{
    struct pollfd wait_for = {.fd = pipe_end, .events = POLLIN};
    if (poll(&wait_for, 1, (int)(1e3 * seconds)) <= 0)
        return -1;
    const ssize_t got = read(pipe_end, data, size);
    return got < 0 && errno != EINTR ? 0 : got;
}

void fathom_platform_child_close(int pipe_end) { close(pipe_end); }
void fathom_platform_child_ask(fathom_platform_child child) { kill((pid_t)child, SIGINT); }
void fathom_platform_child_kill(fathom_platform_child child) { kill((pid_t)child, SIGKILL); }

bool fathom_platform_child_ended(int *code, fathom_platform_child child, bool wait_for_it)
{
    int status = 0;
    pid_t ended;
    do
        ended = waitpid((pid_t)child, &status, wait_for_it ? 0 : WNOHANG);
    while (ended < 0 && errno == EINTR);
    *code = ended > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ended != 0;
}

void fathom_platform_children_adopt(void)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", (long)getpid());
    setenv(PARENT, text, 1);
}

bool fathom_platform_child_follow(void)
{
#ifdef __linux__
    const char *parent = getenv(PARENT);
    if (!parent)
        return true;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != (pid_t)strtol(parent, NULL, 10)) /* it ended before that call */
        return false;
    unsetenv(PARENT);
#endif
    return true;
}

void fathom_platform_restart(char **words)
{
    char path[FATHOM_CHILD_PATH];
    const char *file = own_file(path);
    if (file)
        execv(file, words);
}

bool fathom_platform_make_temporary(char *path, size_t size)
{
    const char *folder = getenv("TMPDIR");
    const int length = snprintf(path, size, "%s/fathom-XXXXXX", folder ? folder : "/tmp");
    return (size_t)length < size && mkdtemp(path);
}

void fathom_platform_remove_folder(const char *path) { rmdir(path); }

#else

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static HANDLE family; /* of the children: Windows ends them with this program, which holds its only handle */

bool fathom_platform_own_path(char path[FATHOM_CHILD_PATH])
{
    const DWORD length = GetModuleFileNameA(NULL, path, FATHOM_CHILD_PATH);
    return length > 0 && length < FATHOM_CHILD_PATH;
}

/* A word as the C library of a child reads it: in quotes, backslashes doubled before a quote. */
static size_t quote(char *line, size_t size, const char *word)
{
    size_t used = 0, slashes = 0;
#define PUT(c) ((used + 1 < size ? (void)(line[used] = (c)) : (void)0), used++)
    PUT('"');
    for (; *word; word++) {
        slashes = *word == '\\' ? slashes + 1 : 0;
        if (*word == '"') {
            PUT('\\');
        }
        PUT(*word);
        for (; slashes > 0 && (word[1] == '"' || word[1] == 0); slashes--)
            PUT('\\');
    }
    PUT('"');
    PUT(' ');
#undef PUT
    if (size > 0)
        line[used < size ? used : size - 1] = 0;
    return used;
}

/* The command line of a child, to be freed. */
static char *line_of(char *const *words)
{
    size_t size = 1, used = 0;
    for (char *const *word = words; *word; word++)
        size += quote(NULL, 0, *word);
    char *line = malloc(size);
    for (char *const *word = words; line && *word; word++)
        used += quote(line + used, size - used, *word);
    return line;
}

/* A handle that a child inherits: of a file, or of the empty device. */
static HANDLE for_child(const char *path, DWORD access, DWORD creation)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    return CreateFileA(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, &inherited,
                       creation, FILE_ATTRIBUTE_NORMAL, NULL);
}

static int create(fathom_platform_child *child, const char *path, char *line, STARTUPINFOA *start)
{
    PROCESS_INFORMATION made;
    if (!CreateProcessA(path, line, NULL, NULL, TRUE, 0, NULL, NULL, start, &made))
        return GetLastError() == ERROR_FILE_NOT_FOUND ? ENOENT : EACCES;
    if (family)
        AssignProcessToJobObject(family, made.hProcess);
    CloseHandle(made.hThread);
    *child = (fathom_platform_child)(intptr_t)made.hProcess;
    return 0;
}

int fathom_platform_child_start(fathom_platform_child *child, const char *path, char *const *words,
                                bool silent, const char *output, int *read_end)
{
    char own[FATHOM_CHILD_PATH];
    STARTUPINFOA start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
    HANDLE reading = NULL;
    if (!path && fathom_platform_own_path(own))
        path = own;
    const bool named = strpbrk(path, "/\\:") != NULL; /* else the system looks for it by the command line */
    char *line = line_of(words);
    if (!line)
        return ENOMEM;
    start.hStdInput = silent ? for_child("NUL", GENERIC_READ, OPEN_EXISTING) : GetStdHandle(STD_INPUT_HANDLE);
    start.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    if (output) {
        start.hStdOutput = for_child(output, GENERIC_WRITE, CREATE_ALWAYS);
    } else {
        SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
        CreatePipe(&reading, &start.hStdOutput, &inherited, 0);
        SetHandleInformation(reading, HANDLE_FLAG_INHERIT, 0);
    }
    const int code = create(child, named ? path : NULL, line, &start);
    free(line);
    CloseHandle(start.hStdOutput);
    if (silent)
        CloseHandle(start.hStdInput);
    if (!output && code == 0)
        *read_end = _open_osfhandle((intptr_t)reading, _O_RDONLY | _O_BINARY);
    else if (!output)
        CloseHandle(reading);
    return code;
}

/* Pipes of Windows can be looked at, not waited for. */
int64_t fathom_platform_child_read(int pipe, char *data, size_t size, double seconds)
{
    const HANDLE handle = (HANDLE)_get_osfhandle(pipe);
    for (double waited = 0;; waited += 1e-3) {
        DWORD there = 0;
        if (!PeekNamedPipe(handle, NULL, 0, NULL, &there, NULL))
            return 0;
        if (there > 0)
            return _read(pipe, data, (unsigned)(size < there ? size : there));
        if (waited >= seconds)
            return -1;
        Sleep(1);
    }
}

void fathom_platform_child_close(int pipe) { _close(pipe); }

void fathom_platform_child_ask(fathom_platform_child child)
{
    (void)child;
    GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0);
}

void fathom_platform_child_kill(fathom_platform_child child) { TerminateProcess((HANDLE)(intptr_t)child, 1); }

bool fathom_platform_child_ended(int *code, fathom_platform_child child, bool wait)
{
    const HANDLE process = (HANDLE)(intptr_t)child;
    DWORD exit_code = 0;
    if (WaitForSingleObject(process, wait ? INFINITE : 0) == WAIT_TIMEOUT)
        return false;
    *code = GetExitCodeProcess(process, &exit_code) && exit_code < 256 ? (int)exit_code : -1;
    CloseHandle(process);
    return true;
}

void fathom_platform_children_adopt(void)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation.LimitFlags =
                                                       JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE};
    if (family)
        return;
    family = CreateJobObjectA(NULL, NULL);
    if (family)
        SetInformationJobObject(family, JobObjectExtendedLimitInformation, &limits, sizeof limits);
}

bool fathom_platform_child_follow(void) { return true; }

/* There is no other program in the place of this one: this one waits for it and ends as it does. */
void fathom_platform_restart(char **words)
{
    char path[FATHOM_CHILD_PATH];
    if (!fathom_platform_own_path(path))
        return;
    const intptr_t code = _spawnv(_P_WAIT, path, (const char *const *)words);
    if (code != -1)
        exit((int)code);
}

bool fathom_platform_make_temporary(char *path, size_t size)
{
    char folder[MAX_PATH + 1], name[MAX_PATH + 1];
    const DWORD length = GetTempPathA(sizeof folder, folder);
    if (length == 0 || length >= sizeof folder || !GetTempFileNameA(folder, "fth", 0, name))
        return false;
    return DeleteFileA(name) && (size_t)snprintf(path, size, "%s", name) < size && _mkdir(path) == 0;
}

void fathom_platform_remove_folder(const char *path) { _rmdir(path); }

#endif
