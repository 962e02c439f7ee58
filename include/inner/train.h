/* SPDX-License-Identifier: Apache-2.0 */
/* Inside fathom: what training is about: its loss, its gates, its claim. */
#ifndef FATHOM_INNER_TRAIN_H
#define FATHOM_INNER_TRAIN_H

#include "fathom/json.h"
#include "fathom/train.h"
#include "inner/certificate.h"
#include "inner/program.h"

/* The loss that options ask for (equality, auto: squared), and its parameter, 0 where it has none. */
fathom_loss fathom_train_kind(const fathom_train_options *options);
double fathom_train_parameter(const fathom_train_options *options);

/* Adds the claim lower_bound <= optimum <= objective of a result with a proof, and of its network, to a
 * certificate: call it before fathom_train_make_model takes the network. */
fathom_status fathom_certificate_add_train(fathom_certificate *certificate, const fathom_train_result *result,
                                           const fathom_train_options *options);

/* The optimality conditions at the dual point of a result, in short. Prices are those of neurons; null or NaN: the network
 * has none. */
typedef struct fathom_train_kkt {
    double row_gap, neuron_gap; /* what rows and neurons add to the gap; each term is >= 0 but for rounding */
    double least_price, most_price; /* of the network's neurons; beta at an optimum */
    int64_t tight_rows;             /* pairs of a neuron and a row on its kink */
    int64_t maximisers;             /* neurons of price least_listed at least, */
    double least_listed;
    bool complete; /* all that there are */
    /* the network is proved to be the only optimal one, up to neurons split into parallel ones */
    bool unique;
    const char *because; /* static text */
} fathom_train_kkt;

/* The same with their tables as members of an object (docs/explanation/global.md): every row, every neuron with its tight
 * rows, every neuron of largest price. Before fathom_train_make_model takes the network. */
FATHOM_PROGRAM fathom_status fathom_train_set_kkt(fathom_train_kkt *summary, fathom_json *object,
                                                  fathom_context *context, const fathom_train_result *result,
                                                  fathom_data *data, const fathom_train_options *options);

/* Gives the gates that a --gates text names, a file read in the given form. */
fathom_status fathom_gates_open_as(fathom_gates **gates, fathom_context *context, const fathom_data *data,
                                   const char *text, fathom_gates_form form);

#endif
