/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wire format of protocol buffers: a field is the number 8 * field + kind, then its value. Kind 0 is a number,
 * kind 2 a length and that many bytes; numbers are written seven bits at a time, the lowest first, the eighth bit
 * saying that more follow.
 */
#include "protobuf.h"

#include <string.h>

#include "memory.h"

enum { KIND_NUMBER = 0, KIND_BYTES = 2 };

static void append(fathom_message *m, const void *data, int64_t size)
{
    if (m->status != FATHOM_OK || !size)
        return;
    if (size > m->capacity - m->size) {
        const int64_t capacity = 2 * m->capacity > m->size + size ? 2 * m->capacity : m->size + size + 64;
        m->status = fathom_memory_resize(m->context, (void **)&m->data, capacity, 1);
        if (m->status != FATHOM_OK)
            return;
        m->capacity = capacity;
    }
    memcpy(m->data + m->size, data, (size_t)size);
    m->size += size;
}

static void append_number(fathom_message *m, uint64_t value)
{
    unsigned char bytes[10];
    int64_t size = 0;
    do {
        bytes[size] = (unsigned char)(value & 127);
        value >>= 7;
        bytes[size++] |= value ? 128 : 0;
    } while (value);
    append(m, bytes, size);
}

void fathom_message_integer(fathom_message *message, int field, int64_t value)
{
    append_number(message, (uint64_t)field << 3 | KIND_NUMBER);
    append_number(message, (uint64_t)value);
}

void fathom_message_bytes(fathom_message *message, int field, const void *data, int64_t size)
{
    append_number(message, (uint64_t)field << 3 | KIND_BYTES);
    append_number(message, (uint64_t)size);
    append(message, data, size);
}

void fathom_message_text(fathom_message *message, int field, const char *text)
{
    fathom_message_bytes(message, field, text, (int64_t)strlen(text));
}

void fathom_message_add(fathom_message *message, int field, fathom_message *part)
{
    if (message->status == FATHOM_OK)
        message->status = part->status;
    fathom_message_bytes(message, field, part->data, part->size);
    fathom_message_free(part);
}

void fathom_message_free(fathom_message *message)
{
    fathom_memory_free(message->context, message->data);
    message->data = NULL;
    message->size = message->capacity = 0;
}
