/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tangent kernels of two-layer ReLU networks, their spectra, and regression with them.
 *
 * For f(x) = m^{-1/2} sum_j a_j relu(<v_j, x>), v_j ~ N(0, I), a_j = -1 or +1, with theta the angle of x and
 * x':
 *
 *   first layer, infinite width   H(x, x') = <x, x'> (pi - theta) / (2 pi)                            [000,
 *   Sec. 4]
 *   both layers, infinite width   H(x, x') + |x||x'| (sin theta + (pi - theta) cos theta) / (2 pi)
 *   finite width                  the same averages over the gates at hand: <x, x'> sum_j rho_j 1[..] 1[..]
 *
 * times `factor` (1; networks scaled by sqrt(2/m), as K of [001, Sec. 7], have 2). The kernel of networks
 * with hidden
 * biases is that of the data with a constant column (--bias augment).
 */
#ifndef FATHOM_KERNEL_H
#define FATHOM_KERNEL_H

#include "fathom/certificate.h"
#include "fathom/net.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FATHOM_KERNEL_OPTIONS(X)                                                                       \
    X(CHOICE, layers, "layers", "first", 0, 0, "first|both", "layers that are trained")                \
    X(INTEGER, width, "width", NULL, 0, 1000000000, "M", "sample M gates (default 0: infinite width)") \
    X(REAL, factor, "factor", "1", 1e-300, 1e300, "F", "constant in front; 2: networks scaled by sqrt(2/m)")

FATHOM_OPTIONS_STRUCT(fathom_kernel_options, FATHOM_KERNEL_OPTIONS)
FATHOM_API extern const fathom_option_table fathom_kernel_option_table;

/* A kernel on n points, ready to be evaluated. */
typedef struct fathom_kernel fathom_kernel;

/* Gives the kernel of the data's points, which it copies. NULL options mean the defaults. With `width` > 0
 * its gates
 * are drawn from the context's seed (the same as fathom_gates_sample's). */
FATHOM_API fathom_status fathom_kernel_create(fathom_kernel **kernel, fathom_context *context,
                                              const fathom_data *data, const fathom_kernel_options *options);

/* Gives the first-layer kernel of given gates of the data with their weights (equal ones where unknown). */
FATHOM_API fathom_status fathom_kernel_create_gates(fathom_kernel **kernel, fathom_context *context,
                                                    const fathom_data *data, const fathom_gates *gates,
                                                    double factor);
FATHOM_API void fathom_kernel_free(fathom_kernel *kernel);

/* Number of points. */
FATHOM_API int64_t fathom_kernel_size(const fathom_kernel *kernel);

/* Fills matrix (n x n, leading dimension ld >= n). Symmetric bit for bit, and the same bits for every number
 * of
 * threads. At infinite width entry (i, j) is within (d + 10) 2^-52 |x_i||x_j| factor of the exact value for
 * the stored
 * points (times 3 with both layers). The exact matrix is positive semidefinite; the stored one therefore has
 * no
 * eigenvalue below minus that bound times n for the largest pair: fathom_spectrum_compute tells where the
 * smallest
 * one really is. Finite width, first layer: the matrix is an elementwise product of Gram matrices, same
 * statement. */
FATHOM_API fathom_status fathom_kernel_fill(double *matrix, int64_t ld, const fathom_kernel *kernel);

/* Fills out (rows of `data` x n, leading dimension ld) with the kernel between other points and those of
 * `kernel`,
 * which must be of infinite width. */
FATHOM_API fathom_status fathom_kernel_cross(double *out, int64_t ld, const fathom_kernel *kernel,
                                             const fathom_data *data);

/* The ends of a symmetric matrix's spectrum. The intervals are proven, rounding included, for the matrix as
 * stored:
 * lower <= smallest eigenvalue <= upper, and likewise for the largest. */
typedef struct fathom_spectrum {
    double lambda_min, lambda_min_lower, lambda_min_upper;
    double lambda_max, lambda_max_lower, lambda_max_upper;
    double trace;
    double condition; /* lambda_max / lambda_min; infinite where lambda_min_lower <= 0 */
} fathom_spectrum;

/* Computes it for `matrix` (n x n, symmetric), whose lower triangle is used as workspace and restored. */
FATHOM_API fathom_status fathom_spectrum_compute(fathom_spectrum *spectrum, double *matrix, int64_t ld,
                                                 int64_t n, fathom_context *context);

/* Decides exactly, on the stored points, whether the kernel of infinite width is singular (of both layers iff
 * of the first): *nullity = the dimension of its null space. Where it is positive, vector (n) is one vector
 * of it, rounded, and *text the same as n integers without common factor, decimal, separated by spaces, to be
 * freed by fathom_context_release; else *text is NULL. *nullity = -1: stopped before it was known. */
FATHOM_API fathom_status fathom_kernel_null_vector(int64_t *nullity, double *vector, char **text,
                                                   fathom_context *context, const fathom_data *data);

/* The same for the first-layer kernel of given gates, whatever their positive weights; *nullity = -1, not
 * decided, beyond 200 points. */
FATHOM_API fathom_status fathom_kernel_null_vector_gates(int64_t *nullity, double *vector, char **text,
                                                         fathom_context *context, const fathom_data *data,
                                                         const fathom_gates *gates);

/* What a certificate says of a kernel's spectrum; all borrowed. */
typedef struct fathom_kernel_claim {
    const fathom_kernel_options *options;
    const fathom_gates *gates; /* NULL: infinite width */
    int64_t units;             /* of which the gates' weights are shares */
    const double *matrix;      /* n x n, leading dimension ld */
    int64_t ld;
    const fathom_spectrum *spectrum;
    const char *null_vector; /* n integers as fathom_kernel_null_vector gives them, or NULL */
} fathom_kernel_claim;

/* All n eigenvalues, ascending, each within about n 2^-53 of the largest: estimates for pictures. Takes n^2
 * more doubles. */
FATHOM_API fathom_status fathom_spectrum_values(double *value, const double *matrix, int64_t ld, int64_t n,
                                                fathom_context *context);

/* Regression with a kernel [001, (20)]. */
typedef struct fathom_regression {
    /* largest |K alpha + ridge alpha - y|: rounding, unless ridge = 0 and K alpha = y has no solution */
    double residual;
    int64_t rank;       /* eigenvalues used; n where ridge > 0 */
    const char *reason; /* static text: why the rank is less than n; NULL where it is not */
} fathom_regression;

/* Gives the network of kind ntk with f(x) = sum_j alpha_j k(x, x_j), (K + ridge I) alpha = y, the data
 * being that of the kernel with its targets; with weights w of the data (K + ridge diag(1/w)) alpha = y,
 * for a ridge > 0 alone: weighted squares, a point of weight 0 counts for nothing. ridge = 0: the alpha of
 * least norm among those that are closest to K alpha = y. */
FATHOM_API fathom_status fathom_kernel_fit(fathom_net **net, fathom_regression *result,
                                           const fathom_kernel *kernel, const fathom_data *data,
                                           double ridge);

#ifdef __cplusplus
}
#endif
#endif
