/* SPDX-License-Identifier: Apache-2.0 */
/* The margin of points given as an array: a proven interval, and the sentence that goes with it. */
#include <fathom/fathom.h>
#include <stdio.h>

int main(void)
{
    /* Four points of the plane with alternating labels: margin 1 / (4 cos(pi/4)) = 0.3535... */
    static const double x[4][2] = {{0, 1}, {-1, 0}, {0, -1}, {1, 0}};
    static const double y[4] = {-1, 1, -1, 1};
    fathom_context *context;
    fathom_data *data = NULL;
    fathom_margin_result *result = NULL;
    int failed = 1;

    if (fathom_context_create(&context, NULL) != FATHOM_OK)
        return 1;
    if (fathom_data_create(&data, context, 4, 2, x[0], 2, 1, y, NULL, NULL) == FATHOM_OK &&
        fathom_margin(&result, context, data, NULL) == FATHOM_OK) {
        const fathom_margin_view view = fathom_margin_look(result);
        printf("margin in [%.12f, %.12f]\n%s\n", view.lower, view.upper, view.statement);
        failed = 0;
    } else {
        fprintf(stderr, "margin: %s\n", fathom_context_error(context)->text);
    }
    fathom_margin_free(result);
    fathom_data_free(data);
    fathom_context_free(context);
    return failed;
}
