/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faces: the groups of a master problem whose solutions are networks.
 *
 * One output. A neuron (u, b) of side sigma has open points D (x_i'u + b > 0) and points on its kink T (= 0). On the face
 * of all neurons with the same D and T, relu is linear:
 *
 *     sigma relu(X u' + b') = sigma D (X u' + b'),    (u', b') = B p,   x_i'u' + b' = 0 for i in T,
 *     x_i'u' + b' >= 0 for i in D, <= 0 for the other points,
 *
 * B with orthonormal u-parts, the neuron itself first; with a free bias some point k is on the kink and b' = -x_k'u'. The
 * face enters the master as the group of features sigma D (X + b) B with the penalty |p| = |u'|, so that every solution
 * names a network of the same objective. Optimal neurons sit on kinks: surrounding one with columns converges slowly,
 * while its face holds it exactly. Of the inequalities those of the points nearest to the kink are kept, and others
 * as they are found violated.
 *
 * Several outputs. A direction (u, b) enters with one feature per output, relu(X u + b) there, and p is its weight w.
 */
#ifndef FATHOM_RELU_FACES_H
#define FATHOM_RELU_FACES_H

#include "relu_network.h"

typedef struct fathom_faces {
    const fathom_train_problem *problem; /* borrowed */
    double extent;                       /* with a free bias the mean of |x_i|, else 0 */
    int64_t count, face_capacity;
    int64_t words;                  /* of the patterns of open points and of points on the kink, together */
    int64_t *start;                 /* face_capacity + 1: columns of each face */
    int64_t *idle;                  /* face_capacity: rounds since the face was last used */
    double *neuron;                 /* face_capacity x (d + 1): the neuron that it was found at */
    double *sign;                   /* face_capacity: its side */
    double **cone;                  /* face_capacity: rows of its inequalities, each as long as the face */
    int64_t *cone_rows, *cone_room; /* face_capacity: how many, and the numbers that fit */
    uint64_t *kept;                 /* face_capacity x (words / 2): which points they belong to */
    uint64_t *pattern;              /* face_capacity x words */
    int64_t column_capacity;
    double *basis;   /* column_capacity x (d + 1) */
    double *feature; /* column_capacity x (outputs n) */
    double *p;       /* column_capacity: the master's solution */
    double *c;       /* outputs */
    double *f, *v;   /* outputs x n: the master's outputs and dual point */
    int64_t steps;   /* Newton steps so far */
} fathom_faces;

fathom_status fathom_faces_open(fathom_faces *faces, const fathom_train_problem *problem);
void fathom_faces_close(fathom_faces *faces);

/* Adds the face of a neuron (d + 1: u of norm 1, and b) of one side; *added is false where it is there already. */
fathom_status fathom_faces_add(bool *added, fathom_faces *faces, const double *neuron, double sign);

/* Solves the master from where it stands; gaps absolute as in fathom_group_solve. `net` gives loss and penalty. */
fathom_status fathom_faces_solve(fathom_faces *faces, const fathom_relu_network *net, double start,
                                 double gap);

/* The network that the solution names; `net` is overwritten and refreshed. */
fathom_status fathom_faces_network(fathom_relu_network *net, const fathom_faces *faces);

/* All faces leave. */
void fathom_faces_leave(fathom_faces *faces);

/* Faces without weight grow idle; those idle for more than `rounds` leave (-1: all without weight). */
void fathom_faces_prune(fathom_faces *faces, int64_t rounds);

/* Moves the solution by the least change that makes its outputs y (outputs x n); *left is the largest difference that
 * remains (relu_interpolate.c). */
fathom_status fathom_faces_interpolate(double *left, fathom_faces *faces, const double *y);

/* Moves the output weights of a network, and those of `drawn` more neurons, by the least change that makes its outputs y
 * (outputs x n), as far as they can; refreshed. */
fathom_status fathom_relu_network_interpolate(fathom_relu_network *net, const double *y, int64_t drawn);

/* Multiplications of one Newton step with the faces at hand. */
double fathom_faces_work(const fathom_faces *faces);

#endif
