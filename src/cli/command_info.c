/* SPDX-License-Identifier: Apache-2.0 */
/* fathom info FILE: what a model file holds. */
#include "commands.h"
#include "inner/certificate.h"
#include "inner/json.h"
#include "inner/options.h"

/* The word of an option's choice, as the option table spells it. */
static const char *word(char *text, size_t size, const char *option, int choice)
{
    const fathom_option *row = fathom_options_find(&fathom_data_option_table, option);
    return row && fathom_option_choice(row, choice, text, size) ? text : "unknown";
}

enum { WORD = 32 };

static void say(cli_invocation *invocation, const fathom_net_shape *shape, const fathom_model_view *view)
{
    char normalize[WORD], bias[WORD];
    cli_say(invocation, "%s network: %lld inputs, %lld neurons, %lld outputs, scale %s",
            fathom_net_kind_name(shape->kind), (long long)shape->d, (long long)shape->m,
            (long long)shape->outputs, fathom_net_scale_name(shape->scale));
    const fathom_net_image *image = &shape->image;
    if (shape->kind == FATHOM_NET_CONVEX_RF)
        cli_say(invocation,
                "images of %lld x %lld in %lld planes; patches of %lld x %lld, stride %lld; %s over %lld x "
                "%lld cells",
                (long long)image->height, (long long)image->width, (long long)image->channels,
                (long long)image->patch, (long long)image->patch, (long long)image->stride,
                image->average ? "mean" : "largest", (long long)image->pool, (long long)image->pool);
    cli_say(invocation, "trained for the %s loss; inputs normalised: %s; bias: %s",
            fathom_loss_name(view->loss),
            word(normalize, sizeof normalize, "normalize", (int)view->preprocess.normalize),
            word(bias, sizeof bias, "bias", (int)view->preprocess.bias));
    for (int64_t k = 0; k < view->classes.count; k++)
        cli_say(invocation, "class %lld: %s", (long long)k, view->classes.name[k]);
}

/* How a convex-rf model sees its inputs. */
static fathom_status describe_image(fathom_json *result, const fathom_net_image *image)
{
    return CLI_SET(result, cli_text("pooling", image->average ? "mean" : "max"),
                   cli_integer("height", image->height), cli_integer("width", image->width),
                   cli_integer("channels", image->channels), cli_integer("patch", image->patch),
                   cli_integer("stride", image->stride), cli_integer("pool", image->pool),
                   cli_real("epsilon", image->epsilon));
}

static fathom_status describe(cli_invocation *invocation, const fathom_model_view *view)
{
    const fathom_net_shape shape = fathom_net_look(view->net);
    char normalize[WORD], bias[WORD];
    fathom_json *result = invocation->result;
    fathom_status status = CLI_SET(
        result, cli_text("kind", fathom_net_kind_name(shape.kind)),
        cli_text("loss", fathom_loss_name(view->loss)), cli_text("scale", fathom_net_scale_name(shape.scale)),
        cli_text("normalize",
                 word(normalize, sizeof normalize, "normalize", (int)view->preprocess.normalize)),
        cli_text("bias", word(bias, sizeof bias, "bias", (int)view->preprocess.bias)),
        cli_integer("d", shape.d), cli_integer("m", shape.m), cli_integer("outputs", shape.outputs),
        cli_integer("columns", view->preprocess.columns));
    if (status == FATHOM_OK && shape.kind == FATHOM_NET_CONVEX_RF)
        status = describe_image(result, &shape.image);
    FATHOM_THEN(status, fathom_json_set_texts(result, "classes", view->classes.name, view->classes.count));
    say(invocation, &shape, view);
    return status;
}

/* A certificate: its members as lines. */
static fathom_status describe_certificate(cli_invocation *invocation, const char *path)
{
    char *text;
    fathom_json *result = invocation->result;
    fathom_status status = fathom_certificate_describe(result, invocation->context, path);
    if (status != FATHOM_OK || invocation->run.json || invocation->run.quiet)
        return status;
    status = fathom_json_text(&text, result, true);
    if (status == FATHOM_OK) {
        cli_say(invocation, "%s", text);
        fathom_json_text_free(result, text);
    }
    cli_say(invocation, "not verified: so the file says; fathom-check CERTIFICATE DATA verifies it");
    return status;
}

fathom_status cli_run_info(cli_invocation *invocation, int *exit_code)
{
    fathom_model *model;
    (void)exit_code;
    if (fathom_certificate_recognize(invocation->context, invocation->argument[0]))
        return describe_certificate(invocation, invocation->argument[0]);
    if (fathom_context_error(invocation->context)->status == FATHOM_ERROR_MEMORY)
        return FATHOM_ERROR_MEMORY; /* it may be one */
    FATHOM_TRY(fathom_model_read(&model, invocation->context, invocation->argument[0]));
    const fathom_model_view view = fathom_model_look(model);
    fathom_status status = describe(invocation, &view);
    fathom_model_free(model);
    return status;
}
