/* SPDX-License-Identifier: Apache-2.0 */
/* Convex-RF networks: features against loops written from the definition, files, faults of the image. */
#include "model_support.h"

#include <unistd.h>

#include "blas.h"
#include "convex_rf.h"
#include "model_internal.h"

/* Images of 7 x 9 in two planes. */
enum { HEIGHT = 7, WIDTH = 9, CHANNELS = 2, D = HEIGHT * WIDTH * CHANNELS, M = 5, OUTPUTS = 3, N = 6 };

static fathom_net_image image_of(int64_t patch, int64_t stride, int64_t pool, bool average)
{
    return (fathom_net_image){HEIGHT, WIDTH, CHANNELS, patch, stride, pool, average, 0.3};
}

static fathom_net *make_net(fathom_context *context, fathom_net_image image)
{
    const fathom_net_shape shape = {.kind = FATHOM_NET_CONVEX_RF,
                                    .d = D,
                                    .m = M,
                                    .outputs = OUTPUTS,
                                    .scale = FATHOM_SCALE_MEAN,
                                    .image = image};
    fathom_net *net;
    assert_ok(context, fathom_net_create(&net, context, &shape));
    fathom_random_normals(net->block, net->parameters, 3, FATHOM_STREAM_HIDDEN, 0, 0);
    return net;
}

/* <u, N(x_t)> at place (r, c), from the definition. */
static double naive_response(const double *u, const double *x, const fathom_net_image *image, int64_t r,
                             int64_t c)
{
    const int64_t side = image->patch, size = CHANNELS * side * side;
    double sum = 0, square = 0, product = 0;
    for (int pass = 0; pass < 3; pass++)
        for (int64_t k = 0; k < size; k++) {
            const int64_t plane = k / (side * side), y = k / side % side, z = k % side;
            const double pixel = x[(plane * HEIGHT + r * image->stride + y) * WIDTH + c * image->stride + z];
            if (pass == 0)
                sum += pixel;
            else if (pass == 1)
                square += (pixel - sum / (double)size) * (pixel - sum / (double)size);
            else
                product += u[k] * (pixel - sum / (double)size);
        }
    return product / sqrt(square / (double)size + image->epsilon);
}

/* Feature of filter u in cell (a, b): the places whose cell it is are found by trying all. */
static double naive_feature(const double *u, const double *x, const fathom_net_image *image, int64_t a,
                            int64_t b)
{
    const int64_t down = (HEIGHT - image->patch) / image->stride + 1;
    const int64_t across = (WIDTH - image->patch) / image->stride + 1;
    double largest = 0, sum = 0;
    int64_t places = 0;
    for (int64_t r = 0; r < down; r++)
        for (int64_t c = 0; c < across; c++) {
            if (r * image->pool / down != a || c * image->pool / across != b)
                continue;
            const double t = fmax(naive_response(u, x, image, r, c), 0);
            largest = fmax(largest, t);
            sum += t;
            places++;
        }
    assert_true(places > 0);
    return image->average ? sum / (double)places : largest;
}

static void check_forward(fathom_context *context, fathom_net_image image)
{
    fathom_net *net = make_net(context, image);
    model_data data = model_data_make(N, D, 0.7, 1);
    const fathom_data_view sparse = model_sparsify(&data);
    const int64_t cells = image.pool * image.pool, size = CHANNELS * image.patch * image.patch;
    double out[N * OUTPUTS], again[N * OUTPUTS];
    assert_ok(context, fathom_net_forward_view(out, net, &data.view));
    for (int i = 0; i < N; i++)
        for (int k = 0; k < OUTPUTS; k++) {
            double f = net->weights.c[k], whole = fabs(f);
            for (int64_t t = 0; t < M * cells; t++) {
                const int64_t j = t / cells, q = t % cells;
                const double h = naive_feature(net->weights.u + j * size, data.x + i * data.view.ld, &image,
                                               q / image.pool, q % image.pool);
                const double a = net->weights.rho[j] / M * net->weights.w[t * OUTPUTS + k];
                f += a * h;
                whole += fabs(a) * sqrt((double)size) * fathom_blas_sum_abs(net->weights.u + j * size, size);
            }
            /* a response errs by (3 size + 8) u |u|_1 sqrt(size), the sum over features by their number */
            assert_close(out[i * OUTPUTS + k], f,
                         (double)(3 * size + M * cells + 16) * 2 * UNIT_ROUNDOFF * whole);
        }
    assert_ok(context, fathom_net_forward_view(again, net, &sparse));
    assert_memory_equal(out, again, sizeof out);
    for (int threads = 1; threads <= 3; threads++) {
        fathom_context_set_threads(context, threads);
        assert_ok(context, fathom_net_forward_view(again, net, &data.view));
        assert_memory_equal(out, again, sizeof out);
    }
    model_data_free(&data);
    fathom_net_free(net);
}

static void forward(void **state)
{
    for (int average = 0; average < 2; average++) {
        check_forward(*state, image_of(3, 1, 2, average));
        check_forward(*state, image_of(2, 2, 3, average));
        check_forward(*state, image_of(1, 1, 1, average));
        check_forward(*state, image_of(7, 1, 1, average));
    }
}

/* A constant image has no contrast: every feature is 0 and the output is the constant. */
static void blank(void **state)
{
    fathom_net *net = make_net(*state, image_of(3, 1, 2, false));
    double x[D], out[OUTPUTS];
    for (int k = 0; k < D; k++)
        x[k] = 4;
    const fathom_data_view view = {.n = 1, .d = D, .x = x, .ld = D};
    assert_ok(*state, fathom_net_forward_view(out, net, &view));
    assert_memory_equal(out, net->weights.c, sizeof out);
    fathom_net_free(net);
}

static void faults_of_images(void **state)
{
    const fathom_net_image good = image_of(3, 1, 2, false);
    assert_null(fathom_rf_image_fault(&good, D));
    const int64_t huge = INT64_C(1) << 40;
    const fathom_net_image bad[] = {
        {HEIGHT, WIDTH, 1, 3, 1, 2, false, 1},           {0, WIDTH, CHANNELS, 3, 1, 2, false, 1},
        {huge, huge, huge, 3, 1, 2, false, 1},           {HEIGHT, WIDTH, CHANNELS, 8, 1, 1, false, 1},
        {HEIGHT, WIDTH, CHANNELS, 0, 1, 1, false, 1},    {HEIGHT, WIDTH, CHANNELS, 3, 0, 1, false, 1},
        {HEIGHT, WIDTH, CHANNELS, 3, 1, 6, false, 1},    {HEIGHT, WIDTH, CHANNELS, 3, 1, 0, false, 1},
        {HEIGHT, WIDTH, CHANNELS, 3, 1, huge, false, 1}, {HEIGHT, WIDTH, CHANNELS, 3, 1, 2, false, 0},
        {HEIGHT, WIDTH, CHANNELS, 3, 1, 2, false, NAN},  {HEIGHT, WIDTH, CHANNELS, 3, 1, 2, false, INFINITY}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const fathom_net_shape shape = {
            .kind = FATHOM_NET_CONVEX_RF, .d = D, .m = M, .outputs = 1, .image = bad[k]};
        fathom_net *net;
        assert_non_null(fathom_rf_image_fault(&bad[k], D));
        assert_int_equal(fathom_net_create(&net, *state, &shape), FATHOM_ERROR_USAGE);
    }
}

static void round_trip(void **state)
{
    static const char *const extension[] = {"json", "npz"};
    fathom_context *context = *state;
    for (int e = 0; e < 2; e++) {
        char path[64];
        fathom_model *model, *back;
        snprintf(path, sizeof path, "/tmp/fathom-convex-rf-%ld.%s", (long)getpid(), extension[e]);
        assert_ok(context, fathom_model_create(&model, context, make_net(context, image_of(2, 2, 3, e)),
                                               FATHOM_LOSS_SQUARED, NULL, NULL));
        assert_ok(context, fathom_model_write(model, path));
        assert_ok(context, fathom_model_read(&back, context, path));
        const fathom_net_image a = model->net->shape.image, b = back->net->shape.image;
        assert_true(a.height == b.height && a.width == b.width && a.channels == b.channels &&
                    a.patch == b.patch && a.stride == b.stride && a.pool == b.pool &&
                    a.average == b.average && a.epsilon == b.epsilon);
        assert_int_equal(model->net->parameters, back->net->parameters);
        assert_memory_equal(model->net->block, back->net->block,
                            (size_t)back->net->parameters * sizeof(double));
        fathom_model_free(model);
        fathom_model_free(back);
        remove(path);
    }
}

/* A file in which one member is missing, of another kind, or of a size that does not fit. */
static void hostile_files(void **state)
{
    static const char *const good[][2] = {{"format", "\"fathom-model-1\""},
                                          {"kind", "\"convex-rf\""},
                                          {"d", "4"},
                                          {"m", "1"},
                                          {"outputs", "1"},
                                          {"height", "2"},
                                          {"width", "2"},
                                          {"channels", "1"},
                                          {"patch", "1"},
                                          {"stride", "1"},
                                          {"pool", "2"},
                                          {"pooling", "\"max\""},
                                          {"epsilon", "0.5"},
                                          {"U", "[[1]]"},
                                          {"W", "[[[1], [2], [3], [4]]]"}};
    enum { MEMBERS = sizeof good / sizeof *good };
    static const char *const bad[][2] = {{"height", "3"},        {"width", "1099511627776"},
                                         {"channels", "0"},      {"patch", "3"},
                                         {"stride", "0"},        {"pool", "3"},
                                         {"pool", "4294967297"}, {"pooling", "\"median\""},
                                         {"epsilon", "0"},       {"epsilon", "\"x\""},
                                         {"U", "[[1, 2]]"},      {"W", "[[1, 2, 3, 4]]"},
                                         {"W", "[[[1], [2]]]"},  {"d", "5"},
                                         {"height", NULL},       {"pooling", NULL},
                                         {"epsilon", NULL}};
    fathom_context *context = *state;
    for (int k = -1; k < (int)(sizeof bad / sizeof *bad); k++) {
        char text[1024] = "{";
        for (int t = 0; t < MEMBERS; t++) {
            const bool changed = k >= 0 && strcmp(good[t][0], bad[k][0]) == 0;
            if (changed && !bad[k][1])
                continue;
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s\"%s\": %s", t ? ", " : "",
                     good[t][0], changed ? bad[k][1] : good[t][1]);
        }
        strcat(text, "}");
        fathom_bytes *bytes;
        fathom_model *model;
        assert_ok(context,
                  fathom_bytes_open_memory(&bytes, context, (const uint8_t *)text, strlen(text), "input"));
        const fathom_status status = fathom_model_read_bytes(&model, bytes);
        assert_int_equal(status, k < 0 ? FATHOM_OK : FATHOM_ERROR_INPUT);
        fathom_model_free(model);
        fathom_bytes_close(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(forward, model_setup, model_teardown),
        cmocka_unit_test_setup_teardown(blank, model_setup, model_teardown),
        cmocka_unit_test_setup_teardown(faults_of_images, model_setup, model_teardown),
        cmocka_unit_test_setup_teardown(round_trip, model_setup, model_teardown),
        cmocka_unit_test_setup_teardown(hostile_files, model_setup, model_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
