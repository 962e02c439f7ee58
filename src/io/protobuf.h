/* SPDX-License-Identifier: Apache-2.0 */
/* Messages in the wire format of protocol buffers, as far as writers need it: numbers, bytes, messages in messages. */
#ifndef FATHOM_PROTOBUF_H
#define FATHOM_PROTOBUF_H

#include "fathom/context.h"

/* A growing message. After a failure it takes no more; `status` keeps the failure. Starts as {.context = ...}. */
typedef struct fathom_message {
    fathom_context *context;
    unsigned char *data;
    int64_t size, capacity;
    fathom_status status;
} fathom_message;

void fathom_message_integer(fathom_message *message, int field, int64_t value);
void fathom_message_bytes(fathom_message *message, int field, const void *data, int64_t size);
void fathom_message_text(fathom_message *message, int field, const char *text);

/* Appends `part` as a field, passes its failure on, and frees it. */
void fathom_message_add(fathom_message *message, int field, fathom_message *part);
void fathom_message_free(fathom_message *message);

#endif
