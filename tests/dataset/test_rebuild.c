/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that stay in their NPY file: the same numbers, bit for bit, as rows that are read, whatever is done to them. */
#include "dataset_testing.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "context_internal.h"
#include "data_internal.h"
#include "inner/data.h"
#include "npy_internal.h"
#include "random.h"

enum { N = 700, D = 60 }; /* more than one block of rebuild.c and npy_map.c */
/* Spaces that put the numbers of elements[0] at a multiple of eight bytes: they are used where they are. */
enum { PLAIN = 7 };

/* An element type as NPY names it, and its bytes of a number. */
typedef struct element {
    const char *descr;
    int size;
} element;
static const element elements[] = {{"<f8", 8}, {">f8", 8}, {"<f4", 4}, {"|u1", 1}, {"<i2", 2}, {">i4", 4}};

static void put(unsigned char *to, double value, const element *e)
{
    unsigned char bytes[8] = {0};
    const char kind = e->descr[1];
    if (kind == 'f' && e->size == 8)
        memcpy(bytes, &value, 8);
    else if (kind == 'f')
        memcpy(bytes, &(float){(float)value}, 4);
    else
        memcpy(bytes, &(int64_t){(int64_t)(value * 40) + (kind == 'u' ? 128 : 0)}, 8);
    for (int k = 0; k < e->size; k++)
        to[k] = bytes[e->descr[0] == '>' ? e->size - 1 - k : k];
}

/* A file of N x D/3 x 3 numbers, or N x D, in either order, `extra` spaces in its header; rows 5 and 6 are zero. */
static const char *write_npy(char path[64], const element *e, bool fortran, bool cube, int extra)
{
    char header[512];
    static double x[N * D];
    fathom_random_normals(x, N * D, 11, 3, 0, 0);
    memset(x + 5 * D, 0, 2 * D * sizeof *x);
    for (int i = 0; i < N; i++)
        x[i * D + 7] = 0.5; /* a constant column */
    const int length = snprintf(header + 10, sizeof header - 10,
                                "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %s), }%*s\n", e->descr,
                                fortran ? "True" : "False", N, cube ? "20, 3" : "60", extra, "");
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)(length & 0xff);
    header[9] = (char)(length >> 8);
    snprintf(path, 64, "/tmp/fathom-test-XXXXXX.npy");
    const int descriptor = mkstemps(path, 4);
    FILE *file = fdopen(descriptor, "wb");
    assert_non_null(file);
    fwrite(header, 1, (size_t)length + 10, file);
    for (int64_t k = 0; k < N * D; k++) {
        unsigned char bytes[8];
        const int64_t i = k % N, c = k / N; /* fortran: i, then the second index, then the third */
        const int64_t j = cube ? c % 20 * 3 + c / 20 : c;
        put(bytes, fortran ? x[i * D + j] : x[k], e);
        fwrite(bytes, 1, (size_t)e->size, file);
    }
    assert_int_equal(fclose(file), 0);
    return path;
}

static void assert_same(fathom_data *a, fathom_data *b)
{
    const fathom_data_view v = fathom_data_look(a), w = fathom_data_look(b);
    const fathom_preprocess p = fathom_data_preprocess(a), q = fathom_data_preprocess(b);
    assert_true(v.n == w.n && v.d == w.d && v.outputs == w.outputs && p.columns == q.columns);
    assert_memory_equal(v.x, w.x, (size_t)(v.n * v.d) * sizeof *v.x);
    if (v.outputs > 0)
        assert_memory_equal(v.y, w.y, (size_t)(v.n * v.outputs) * sizeof *v.y);
    if (p.mean)
        assert_memory_equal(p.mean, q.mean, (size_t)p.columns * sizeof *p.mean);
}

/* Every kind of element, either order, numbers at any byte. */
static void elements_and_orders(void **state)
{
    for (size_t k = 0; k < sizeof elements / sizeof elements[0]; k++)
        for (int form = 0; form < 8; form++) {
            char path[64];
            write_npy(path, &elements[k], form & 1, form & 2, form & 4 ? 13 : 0);
            fathom_data *read = open_with(*state, path, PAIRS("map", "never"));
            fathom_data *mapped = open_with(*state, path, PAIRS("map", "always"));
            assert_true(!read->mapped && mapped->mapped);
            assert_same(read, mapped);
            fathom_data_free(read);
            fathom_data_free(mapped);
            unlink(path);
        }
}

/* Options on data, all combinations of some of each kind. */
static void steps(void **state)
{
    char path[64], labels[64], list[64];
    static const char *const normalize[] = {"none", "unit", "standardize"};
    static const char *const bias[] = {"none", "augment", "free"};
    write_npy(path, &elements[0], false, false, 0);
    write_temporary(list, ".rows", "3 1 699 3 500 7");
    snprintf(labels, sizeof labels, "/tmp/fathom-test-XXXXXX.npy");
    close(mkstemps(labels, 4));
    double y[N];
    for (int i = 0; i < N; i++)
        y[i] = i % 3;
    fathom_file *file;
    assert_ok(*state, fathom_file_create(&file, *state, labels));
    assert_ok(*state, fathom_npy_append(file, y, 1, (const int64_t[]){N}, 1));
    assert_ok(*state, fathom_file_commit(file));
    const char *const rows[] = {NULL, "100:650", "0:1", list};
    for (int form = 0; form < 3 * 3 * 4 * 2 * 2; form++) {
        fathom_data_options options = options_of(
            *state, PAIRS("normalize", normalize[form % 3], "bias", bias[form / 3 % 3], "labels", labels));
        options.rows = rows[form / 9 % 4];
        options.features = form / 36 % 2 ? 17 : options.features;
        options.classes = form / 72 && !options.rows ? "0,2" : NULL;
        fathom_data *made[2];
        for (int k = 0; k < 2; k++) {
            options.map = k == 0 ? 2 : 1;
            assert_ok(*state, fathom_data_open(&made[k], *state, path, &options));
        }
        assert_true(!made[0]->mapped && made[1]->mapped);
        assert_same(made[0], made[1]);
        assert_string_equal(made[0]->options, made[1]->options); /* states do not care where rows are */
        fathom_data_free(made[0]);
        fathom_data_free(made[1]);
    }
    unlink(path);
    unlink(labels);
    unlink(list);
}

/* A bias that comes later. */
static void late_bias(void **state)
{
    char path[64];
    write_npy(path, &elements[0], false, false, 0);
    fathom_data *read = open_with(*state, path, PAIRS("map", "never", "normalize", "unit"));
    fathom_data *mapped = open_with(*state, path, PAIRS("map", "always", "normalize", "unit"));
    assert_ok(*state, fathom_data_set_bias(read, FATHOM_BIAS_AUGMENT));
    assert_ok(*state, fathom_data_set_bias(mapped, FATHOM_BIAS_AUGMENT));
    assert_same(read, mapped);
    fathom_data_free(read);
    fathom_data_free(mapped);
    unlink(path);
}

/* What is refused of rows that are read is refused of rows that stay: numbers that are none, norms beyond the range, files
 * that are cut or too long. */
static void refusals(void **state)
{
    char path[64];
    write_npy(path, &elements[0], false, false, 0);
    FILE *file = fopen(path, "r+b");
    const double bad[] = {NAN, 1e200};
    const char *const words[] = {"found nan in row 2", "row 2 (from 0) has a norm outside"};
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const long size = ftell(file), start = size - N * D * 8;
    for (int k = 0; k < 2; k++) {
        fseek(file, start + 2 * D * 8, SEEK_SET);
        fwrite(&bad[k], 8, 1, file);
        fflush(file);
        assert_refused(*state, path, PAIRS("map", "always", "normalize", "unit"), FATHOM_ERROR_INPUT,
                       words[k]);
    }
    assert_refused(*state, path, PAIRS("map", "always", "rows", "0:701"), FATHOM_ERROR_INPUT, "rows 0:700");
    assert_int_equal(ftruncate(fileno(file), size - 1), 0);
    assert_refused(*state, path, PAIRS("map", "always"), FATHOM_ERROR_INPUT, "found fewer");
    assert_int_equal(ftruncate(fileno(file), size + 9), 0);
    assert_refused(*state, path, PAIRS("map", "always"), FATHOM_ERROR_INPUT, "found more");
    fclose(file);
    unlink(path);
}

/* auto: rows that take more than half of the memory stay. */
static void by_memory(void **state)
{
    char path[64];
    (void)state;
    write_npy(path, &elements[0], false, false, 0); /* 336,000 bytes */
    for (int k = 0; k < 2; k++) {
        fathom_context *context;
        assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
        fathom_context_set_memory_limit(context, k == 0 ? 6e5 : 2e6);
        fathom_data *data = open_plain(context, path);
        assert_true((data->mapped != NULL) == (k == 0));
        fathom_data_free(data);
        fathom_context_free(context);
    }
    unlink(path);
}

/* What becomes of a file behind the rows: nothing; its last byte written again; cut to nothing, to a page, by a byte; a number
 * written over. */
typedef enum { KEEP, TOUCH, CUT, CUT_LATE, CUT_LITTLE, WRITE, WAYS } way;

static void disturb(const char *path, way how)
{
    const int descriptor = open(path, O_RDWR);
    struct stat found;
    assert_true(descriptor >= 0 && fstat(descriptor, &found) == 0);
    const struct timespec later[] = {found.st_mtim, {found.st_mtim.tv_sec + 1, found.st_mtim.tv_nsec}};
    if (how == CUT || how == CUT_LATE || how == CUT_LITTLE)
        assert_int_equal(ftruncate(descriptor, how == CUT        ? 0
                                               : how == CUT_LATE ? 8192
                                                                 : found.st_size - 1),
                         0);
    if (how == TOUCH)
        assert_int_equal(futimens(descriptor, later), 0);
    if (how == WRITE) {
        assert_int_equal(pwrite(descriptor, &(double){7}, 8, found.st_size - 8), 8);
        assert_int_equal(futimens(descriptor, later), 0); /* clocks of file systems are coarse */
    }
    close(descriptor);
}

static double sum_of(const fathom_data *data)
{
    volatile double sum = 0;
    for (int64_t k = 0; k < data->n * data->d; k++)
        sum = sum + data->x[k];
    return sum;
}

/* A file that is cut does not end the process, and one that is written to gives no result: not while the rows are there, nor
 * when they have gone; the run is asked to stop where rows were missing. The next run begins anew. */
static void changed_meanwhile(void **state)
{
    for (way how = KEEP; how < WAYS; how++)
        for (int freed = 0; freed < 2; freed++) {
            char path[64];
            write_npy(path, &elements[0], false, false, PLAIN);
            fathom_data *data = open_with(*state, path, PAIRS("map", "always"));
            assert_true(data->mapped != NULL);
            assert_int_equal(fathom_context_settle(*state, FATHOM_OK), FATHOM_OK);
            disturb(path, how);
            sum_of(data);
            assert_int_equal(fathom_context_stop_reason(*state),
                             how == CUT || how == CUT_LATE ? FATHOM_STOP_INTERRUPT : FATHOM_STOP_NONE);
            if (freed)
                fathom_data_free(data);
            const fathom_status wanted = how == KEEP ? FATHOM_OK : FATHOM_ERROR_INPUT;
            assert_int_equal(fathom_context_settle(*state, FATHOM_OK), wanted);
            assert_int_equal(fathom_context_settle(*state, FATHOM_ERROR_STOPPED),
                             how == KEEP ? FATHOM_ERROR_STOPPED : wanted);
            fathom_file *file;
            assert_ok(*state, fathom_file_create(&file, *state, "/tmp/fathom-test-none"));
            assert_int_equal(fathom_file_commit(file), wanted);
            assert_int_equal(unlink("/tmp/fathom-test-none"), how == KEEP ? 0 : -1);
            if (how != KEEP) {
                assert_string_equal(fathom_context_error(*state)->file, path);
                assert_non_null(strstr(fathom_context_error(*state)->text, "while rows were read from it"));
            }
            if (!freed)
                fathom_data_free(data);
            fathom_context_start_clock(*state);
            assert_int_equal(fathom_context_settle(*state, FATHOM_OK), FATHOM_OK);
            assert_int_equal(fathom_context_stop_reason(*state), FATHOM_STOP_NONE);
            unlink(path);
        }
}

/* Rows that are made anew of those of a file that has been cut are refused; of rows in a scratch file the original may go. */
static void changed_before_rebuild(void **state)
{
    for (int scratch = 0; scratch < 2; scratch++) {
        char path[64];
        write_npy(path, &elements[scratch], false, false, PLAIN);
        fathom_data *data = open_with(*state, path, PAIRS("map", "always"));
        disturb(path, CUT);
        const fathom_status status = fathom_data_set_bias(data, FATHOM_BIAS_AUGMENT);
        assert_int_equal(fathom_context_settle(*state, status), scratch ? FATHOM_OK : FATHOM_ERROR_INPUT);
        fathom_data_free(data);
        fathom_context_start_clock(*state);
        unlink(path);
    }
}

/* A signal of the same kind that is not about our files goes where it went before. */
static volatile sig_atomic_t heard;
static sigjmp_buf away;

static void hear(int number)
{
    heard = number;
    siglongjmp(away, 1);
}

static void signals_of_others(void **state)
{
    char path[64];
    struct sigaction action, after;
    memset(&action, 0, sizeof action);
    action.sa_handler = hear;
    assert_int_equal(sigaction(SIGBUS, &action, NULL), 0);
    write_npy(path, &elements[0], false, false, PLAIN);
    fathom_data *data = open_with(*state, path, PAIRS("map", "always"));
    FILE *foreign = tmpfile();
    volatile char *bytes = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(foreign), 0); /* an empty file */
    assert_true(bytes != MAP_FAILED);
    if (sigsetjmp(away, 1) == 0)
        assert_int_equal(bytes[0], -1); /* not reached */
    assert_int_equal(heard, SIGBUS);
    fathom_data_free(data);
    assert_int_equal(sigaction(SIGBUS, NULL, &after), 0);
    assert_true(after.sa_handler == hear);
    action.sa_handler = SIG_DFL;
    sigaction(SIGBUS, &action, NULL);
    fclose(foreign);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        data_test(elements_and_orders),
        data_test(steps),
        data_test(late_bias),
        data_test(refusals),
        data_test(by_memory),
        data_test(changed_meanwhile),
        data_test(changed_before_rebuild),
        data_test(signals_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
