/* SPDX-License-Identifier: Apache-2.0 */
/* fathom margin DATA --experiment: the table of Theorem 7.2. */
#include "commands.h"
#include "inner/json.h"

#include <math.h>

static fathom_status append_row(fathom_json *list, const fathom_margin_experiment_row *row)
{
    fathom_json *object;
    FATHOM_TRY(fathom_json_append_object(list, &object));
    return CLI_SET(object, cli_real("kappa", row->kappa), cli_real("point_wrong", row->point_wrong),
                   cli_real("some_wrong", row->some_wrong), cli_real("adaptive_zero", row->adaptive_zero),
                   cli_real("adaptive_ratio", row->adaptive_ratio), cli_integer("width", row->width),
                   cli_integer("trials", row->trials));
}

fathom_status cli_margin_experiment(cli_invocation *invocation, const fathom_margin_result *margin,
                                    fathom_data *data, int64_t trials)
{
    const double kappa[] = {1.0 / 64, 1.0 / 16, 1.0 / 4, 1, 2, 4};
    fathom_json *list;
    fathom_status status = fathom_json_set_list(invocation->result, "experiment", &list);
    for (size_t k = 0; k < sizeof kappa / sizeof kappa[0] && status == FATHOM_OK; k++) {
        fathom_margin_experiment_row row;
        status = fathom_margin_experiment(&row, margin, data, kappa[k], trials);
        if (status != FATHOM_OK || row.trials == 0)
            break;
        if (k == 0) {
            cli_say(invocation,
                    "Theorem 7.2      m = kappa / gamma^2 random gates, shares of %lld draws (standard error "
                    "<= %.2g)",
                    (long long)trials, 0.5 / sqrt((double)trials));
            cli_say(invocation,
                    "   kappa        m   a point wrong   some point wrong   gamma_V = 0   gamma_V / gamma");
        }
        cli_say(invocation, "%8.4g %8lld %15.4f %18.4f %13.4f %17.3f", row.kappa, (long long)row.width,
                row.point_wrong, row.some_wrong, row.adaptive_zero, row.adaptive_ratio);
        status = append_row(list, &row);
    }
    return status;
}
