/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C reaches the context and the program's own handler, however that one keeps itself. */
#include "testing.h"

#include <signal.h>

#include "fathom/interrupt.h"

static volatile int calls;

static void stays(int number)
{
    (void)number;
    calls++;
}

static void sets_itself_again(int number)
{
    calls++;
    signal(number, sets_itself_again);
}

static void gives_way(int number)
{
    calls++;
    signal(number, stays);
}

static fathom_context *make_context(void)
{
    fathom_context *context = NULL;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    return context;
}

static void (*handler_now(void))(int)
{
    struct sigaction now;
    sigaction(SIGINT, NULL, &now);
    return now.sa_handler;
}

/* The context of each of three interruptions is interrupted, and the handler called. */
static void three_times(void (*handler)(int))
{
    signal(SIGINT, handler);
    calls = 0;
    for (int k = 1; k <= 3; k++) {
        fathom_context *context = make_context();
        fathom_context_listen(context);
        raise(SIGINT);
        assert_true(fathom_context_interrupted(context));
        assert_int_equal(calls, k);
        fathom_context_listen(NULL);
        fathom_context_free(context);
    }
}

static void own_handlers(void **state)
{
    (void)state;
    three_times(stays);
    assert_true(handler_now() == stays);
    three_times(sets_itself_again);
    assert_true(handler_now() == sets_itself_again);
}

static void again_while_listening(void **state)
{
    (void)state;
    fathom_context *first = make_context(), *second = make_context();
    signal(SIGINT, sets_itself_again);
    calls = 0;
    fathom_context_listen(first);
    raise(SIGINT);
    fathom_context_listen(second);
    raise(SIGINT);
    assert_true(fathom_context_interrupted(first) && fathom_context_interrupted(second));
    assert_int_equal(calls, 2);
    fathom_context_listen(NULL);
    assert_true(handler_now() == sets_itself_again);
    fathom_context_free(first);
    fathom_context_free(second);
}

static void another_handler_is_left(void **state)
{
    (void)state;
    fathom_context *context = make_context();
    signal(SIGINT, gives_way);
    fathom_context_listen(context);
    raise(SIGINT);
    assert_true(handler_now() == stays);
    fathom_context_listen(NULL);
    assert_true(handler_now() == stays);
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_handlers),
        cmocka_unit_test(again_while_listening),
        cmocka_unit_test(another_handler_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
