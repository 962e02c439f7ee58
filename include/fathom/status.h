/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one table of statuses.
 *
 * A function that can fail returns a fathom_status and leaves code, text and position in the context
 * (fathom_context_error). "A limit was reached" is no failure: it is an outcome inside a result.
 */
#ifndef FATHOM_STATUS_H
#define FATHOM_STATUS_H

#if defined(__GNUC__)
#define FATHOM_API __attribute__((visibility("default")))
#define FATHOM_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define FATHOM_API
#define FATHOM_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, value, exit code of the command line, meaning) */
#define FATHOM_STATUSES(X)                                                                \
    X(OK, 0, 0, "done")                                                                   \
    X(ERROR_RUNTIME, 1, 1, "run-time failure: input or output, or a numerical breakdown") \
    X(ERROR_USAGE, 2, 2, "bad argument, option or value")                                 \
    X(ERROR_CERTIFICATE, 3, 4, "certificate rejected")                                    \
    X(ERROR_INPUT, 4, 5, "bad input file or data")                                        \
    X(ERROR_MEMORY, 5, 6, "out of memory")                                                \
    X(ERROR_STOPPED, 6, 3, "stopped by a limit or an interruption before there was a result")

typedef enum fathom_status {
#define FATHOM_STATUS_ENTRY(name, value, exit_code, meaning) FATHOM_##name = value,
    FATHOM_STATUSES(FATHOM_STATUS_ENTRY)
#undef FATHOM_STATUS_ENTRY
} fathom_status;

/* Why a run ended: an outcome, no failure. */
typedef enum fathom_end {
    FATHOM_END_REACHED,    /* what was asked for is there */
    FATHOM_END_STALLED,    /* no step moves it any more, or its effort is spent */
    FATHOM_END_TIME,       /* the time limit */
    FATHOM_END_INTERRUPTED /* the caller asked */
} fathom_end;

/* The meaning of a status in words, from the table above; "unknown status" for any other number. */
FATHOM_API const char *fathom_status_text(fathom_status status);

/* The exit code with which the command line reports a status. */
FATHOM_API int fathom_status_exit_code(fathom_status status);

/* FATHOM_TRY(call): leaves the calling function with the status of a call that fails. FATHOM_THEN(status, call): makes the
 * call where all is well so far; for functions that have something to release at their one exit. */
#define FATHOM_TRY(...)                                   \
    do {                                                  \
        const fathom_status fathom_tried = (__VA_ARGS__); \
        if (fathom_tried != FATHOM_OK)                    \
            return fathom_tried;                          \
    } while (0)
#define FATHOM_THEN(status, ...)      \
    do {                              \
        if ((status) == FATHOM_OK)    \
            (status) = (__VA_ARGS__); \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
