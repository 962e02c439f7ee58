/* SPDX-License-Identifier: Apache-2.0 */
/* A model inside another program: model.c, written by train.c, is all it needs; neither library nor file. */
#include <stdio.h>

#include "model.c"

int main(void)
{
    /* One tumour, thirty measurements: the first row of the data set. */
    static const double x[fathom_model_INPUTS] = {
        17.99, 10.38,  122.8, 1001,  0.1184,   0.2776,  0.3001,  0.1471,  0.2419,  0.07871,
        1.095, 0.9053, 8.589, 153.4, 0.006399, 0.04904, 0.05373, 0.01587, 0.03003, 0.006193,
        25.38, 17.33,  184.6, 2019,  0.1622,   0.6656,  0.7119,  0.2654,  0.4601,  0.1189};
    double score[fathom_model_OUTPUTS];
    fathom_model_predict(x, score);
    printf("score %.6f: %s\n", score[0], fathom_model_class_name[fathom_model_class(score)]);
    return 0;
}
