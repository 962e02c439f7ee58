/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only file that knows CVODE [Hindmarsh et al. 2005]: backward differentiation formulas of variable
 * order, the Jacobian dense and given. Relative tolerance 1e-10. Memory of CVODE does not pass through a context.
 */
#include "cvode.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

static int rate(sunrealtype x, N_Vector y, N_Vector out, void *user)
{
    const fathom_stiff *system = user;
    return system->rate(N_VGetArrayPointer(out), x, N_VGetArrayPointer(y), system->user) ? 0 : -1;
}

static int jacobian(sunrealtype x, N_Vector y, N_Vector at, SUNMatrix matrix, void *user, N_Vector a,
                    N_Vector b, N_Vector c)
{
    const fathom_stiff *system = user;
    (void)at, (void)a, (void)b, (void)c;
    return system->jacobian(SUNDenseMatrix_Data(matrix), x, N_VGetArrayPointer(y), system->user) ? 0 : -1;
}

static int target(sunrealtype x, N_Vector y, sunrealtype *value, void *user)
{
    const fathom_stiff *system = user;
    return system->target(value, x, N_VGetArrayPointer(y), system->user) ? 0 : -1;
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
static bool integrate(void *memory, N_Vector y, SUNMatrix matrix, SUNLinearSolver solver,
                      const fathom_stiff *system, double *x, double x1)
{
    sunrealtype reached = *x;
    const bool ready = make_silent(memory) && CVodeInit(memory, rate, *x, y) == CV_SUCCESS &&
                       CVodeSStolerances(memory, 1e-10, 1e-12) == CV_SUCCESS &&
                       CVodeSetUserData(memory, (void *)(uintptr_t)system) == CV_SUCCESS &&
                       CVodeSetLinearSolver(memory, solver, matrix) == CV_SUCCESS &&
                       CVodeSetJacFn(memory, jacobian) == CV_SUCCESS &&
                       CVodeSetMaxNumSteps(memory, 20000) == CV_SUCCESS &&
                       CVodeSetStopTime(memory, x1) == CV_SUCCESS &&
                       (system->targets == 0 || CVodeRootInit(memory, system->targets, target) == CV_SUCCESS);
    if (!ready)
        return false;
    const int code = CVode(memory, x1, y, &reached, CV_NORMAL);
    *x = reached;
    return code >= 0;
}

bool fathom_cvode_run(double *state, double *x, const fathom_stiff *system, double x1)
{
    const sunindextype size = (sunindextype)system->size;
    SUNContext library = NULL;
    if (!open_library(&library)) {
        SUNContext_Free(&library);
        return false;
    }
    N_Vector y = N_VMake_Serial(size, state, library);
    SUNMatrix matrix = SUNDenseMatrix(size, size, library);
    SUNLinearSolver solver = y && matrix ? SUNLinSol_Dense(y, matrix, library) : NULL;
    void *memory = solver ? CVodeCreate(CV_BDF, library) : NULL;
    const bool done = memory && integrate(memory, y, matrix, solver, system, x, x1);
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
