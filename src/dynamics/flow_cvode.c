/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only file that knows CVODE [Hindmarsh et al. 2005]: backward differentiation formulas of variable order on
 *
 *     dc/dx = e^x q(p_0 + K c),      du/dx = e^{x + l - u},  l = ln(dt/dtau) = ln n - ln Q,
 *
 * with the dense Jacobian -e^x (D - s qq') K, D = diag(q_i s_i), s_i = 1/(1 + e^{-p_i}) and s the same at the smoothed margin (exponential
 * loss: 1), and dl/dc = s Kq. Relative tolerance 1e-10. Memory of CVODE does not pass through the context.
 */
#include "flow_cvode.h"

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"

typedef struct late_state {
    const fathom_late *late;
    double *p, *q, *f, *image; /* n: margins, duals, outputs, K q */
    double log_loss, log_rate, smoothed;
    int64_t evaluations;
    bool failed; /* no memory in a callback */
} late_state;

/* Margins, duals and their summary at c. */
static void find(late_state *s, const double *c)
{
    const fathom_late *late = s->late;
    const int64_t n = late->n;
    fathom_loss_summary summary = {.log_mean = NAN, .log_q = NAN, .smoothed_margin = NAN};
    memcpy(s->p, late->margin, (size_t)n * sizeof(double));
    fathom_blas_gemv(s->p, n, n, 1, fathom_plain(late->kernel, n), c, 1);
    for (int64_t i = 0; i < n; i++)
        s->f[i] = late->y[i] * s->p[i];
    s->failed =
        s->failed || fathom_loss_summarize(&summary, s->q, FATHOM_SLOPE_DUAL, late->context, late->loss, s->f,
                                           late->y, late->weight, n, 1) != FATHOM_OK;
    for (int64_t i = 0; i < n; i++)
        s->q[i] = fabs(s->q[i]);
    s->log_loss = summary.log_mean;
    s->log_rate = log((double)n) - summary.log_q;
    s->smoothed = summary.smoothed_margin;
    s->evaluations++;
}

static int right_side(sunrealtype x, N_Vector y, N_Vector out, void *user)
{
    late_state *s = user;
    const int64_t n = s->late->n;
    const double *c = N_VGetArrayPointer(y);
    double *rate = N_VGetArrayPointer(out), scale = exp(x);
    find(s, c);
    for (int64_t i = 0; i < n; i++)
        rate[i] = scale * s->q[i];
    rate[n] = exp(fmin(700, x + s->log_rate - c[n]));
    return s->failed || isnan(s->log_loss) ? -1 : 0;
}

static double sigmoid(const late_state *s, double p)
{
    return s->late->loss == FATHOM_LOSS_LOGISTIC ? 1 / (1 + exp(-p)) : 1;
}

static int jacobian(sunrealtype x, N_Vector y, N_Vector rate, SUNMatrix matrix, void *user, N_Vector a,
                    N_Vector b, N_Vector c)
{
    late_state *s = user;
    const int64_t n = s->late->n;
    const double *k = s->late->kernel, scale = exp(x), *state = N_VGetArrayPointer(y);
    (void)rate, (void)a, (void)b, (void)c;
    find(s, state);
    fathom_blas_gemv(s->image, n, n, 1, fathom_plain(k, n), s->q, 0);
    const double t = sigmoid(s, s->smoothed), clock = exp(fmin(700, x + s->log_rate - state[n]));
    for (int64_t j = 0; j < n; j++) {
        sunrealtype *column = SUNDenseMatrix_Column(matrix, (sunindextype)j);
        for (int64_t i = 0; i < n; i++)
            column[i] = -scale * s->q[i] * (sigmoid(s, s->p[i]) * k[i * n + j] - t * s->image[j]);
        column[n] = clock * t * s->image[j];
    }
    sunrealtype *last = SUNDenseMatrix_Column(matrix, (sunindextype)n);
    memset(last, 0, (size_t)n * sizeof *last);
    last[n] = -clock;
    return s->failed ? -1 : 0;
}

/* Roots: the loss and the time that were asked for. */
static int targets(sunrealtype x, N_Vector y, sunrealtype *value, void *user)
{
    late_state *s = user;
    const double *state = N_VGetArrayPointer(y);
    (void)x;
    find(s, state);
    value[0] = isnan(s->late->log_loss_end) ? 1 : s->log_loss - s->late->log_loss_end;
    value[1] = isnan(s->late->log_time_end) ? 1 : s->late->log_time_end - state[s->late->n];
    return s->failed ? -1 : 0;
}

/* What CVODE has to say is in its return codes. SUNDIALS 7 has its error handlers in the context, warnings in
 * a logger that takes the names of files alone (an empty one leaves them on the terminal), and a type for
 * communicators; 6 has handlers in the integrator, and a pointer. */
#if SUNDIALS_VERSION_MAJOR >= 7
static void silent(int line, const char *function, const char *file, const char *text, SUNErrCode code,
                   void *user, SUNContext library)
{
    (void)line, (void)function, (void)file, (void)text, (void)code, (void)user, (void)library;
}

static void silence_logger(SUNContext library)
{
    SUNLogger logger = NULL;
    if (SUNContext_GetLogger(library, &logger) != SUN_SUCCESS || !logger)
        return;
    SUNLogger_SetWarningFilename(logger, "/dev/null");
    SUNLogger_SetErrorFilename(logger, "/dev/null");
}

static bool open_library(SUNContext *library)
{
    if (SUNContext_Create(SUN_COMM_NULL, library) != SUN_SUCCESS)
        return false;
    silence_logger(*library);
    return SUNContext_ClearErrHandlers(*library) == SUN_SUCCESS &&
           SUNContext_PushErrHandler(*library, silent, NULL) == SUN_SUCCESS;
}

static bool make_silent(void *memory) { return memory != NULL; }
#else
static void silent(int code, const char *module, const char *function, char *text, void *user)
{
    (void)code, (void)module, (void)function, (void)text, (void)user;
}

static bool open_library(SUNContext *library) { return SUNContext_Create(NULL, library) == 0; }

static bool make_silent(void *memory) { return CVodeSetErrHandlerFn(memory, silent, NULL) == CV_SUCCESS; }
#endif

/* Integrates once everything is there. */
static bool integrate(void *memory, N_Vector y, SUNMatrix matrix, SUNLinearSolver solver, late_state *s,
                      double *x, double x1)
{
    sunrealtype reached = *x;
    const bool ready =
        make_silent(memory) && CVodeInit(memory, right_side, *x, y) == CV_SUCCESS &&
        CVodeSStolerances(memory, 1e-10, 1e-12) == CV_SUCCESS && CVodeSetUserData(memory, s) == CV_SUCCESS &&
        CVodeSetLinearSolver(memory, solver, matrix) == CV_SUCCESS &&
        CVodeSetJacFn(memory, jacobian) == CV_SUCCESS && CVodeSetMaxNumSteps(memory, 20000) == CV_SUCCESS &&
        CVodeSetStopTime(memory, x1) == CV_SUCCESS && CVodeRootInit(memory, 2, targets) == CV_SUCCESS;
    if (!ready)
        return false;
    const int code = CVode(memory, x1, y, &reached, CV_NORMAL);
    *x = reached;
    return code >= 0;
}

static bool run(late_state *s, double *state, double *x, double x1)
{
    const sunindextype size = (sunindextype)(s->late->n + 1);
    SUNContext library = NULL;
    if (!open_library(&library)) {
        SUNContext_Free(&library);
        return false;
    }
    N_Vector y = N_VMake_Serial(size, state, library);
    SUNMatrix matrix = SUNDenseMatrix(size, size, library);
    SUNLinearSolver solver = y && matrix ? SUNLinSol_Dense(y, matrix, library) : NULL;
    void *memory = solver ? CVodeCreate(CV_BDF, library) : NULL;
    const bool done = memory && integrate(memory, y, matrix, solver, s, x, x1);
    if (memory)
        CVodeFree(&memory);
    if (solver)
        SUNLinSolFree(solver);
    if (matrix)
        SUNMatDestroy(matrix);
    if (y)
        N_VDestroy(y);
    SUNContext_Free(&library);
    return done;
}

fathom_status fathom_late_run(bool *done, double *c, double *u, double *x, int64_t *evaluations,
                              const fathom_late *late, double x1)
{
    const int64_t n = late->n;
    late_state s = {.late = late};
    double *block = fathom_memory_zero(late->context, 5 * n + 1, sizeof *block);
    *done = false;
    if (!block)
        return FATHOM_ERROR_MEMORY;
    s.p = block, s.q = s.p + n, s.f = s.q + n, s.image = s.f + n;
    double *state = s.image + n;
    memcpy(state, c, (size_t)n * sizeof(double));
    state[n] = *u;
    *done = run(&s, state, x, x1);
    if (*done) {
        memcpy(c, state, (size_t)n * sizeof(double));
        *u = state[n];
    }
    *evaluations += s.evaluations;
    fathom_memory_free(late->context, block);
    return s.failed ? FATHOM_ERROR_MEMORY : FATHOM_OK;
}
