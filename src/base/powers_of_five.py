#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the table of number.c: for q = -342 .. 308 the 128 leading bits of 5^q, high word first.

5^q = m 2^e with 2^127 <= m < 2^128; m is rounded down for q >= 0 and up for q < 0 [Lemire 2021, section 5].
"""
FIRST, LAST = -342, 308


def leading_bits(q):
    if q >= 0:
        power = 5 ** q
        shift = power.bit_length() - 128
        return power >> shift if shift >= 0 else power << -shift
    power = 5 ** -q
    bits = power.bit_length()
    # 2^(bits + 127) / 5^-q lies in [2^127, 2^128); the quotient is never whole, so rounding up adds one.
    return (1 << (bits + 127)) // power + 1


print("/* Made by powers_of_five.py: 128 leading bits of 5^q, q = -342 .. 308. */")
print(f"enum {{ POWER_FIRST = {FIRST}, POWER_LAST = {LAST} }};")
print("static const uint64_t power_of_five[][2] = {")
for exponent in range(FIRST, LAST + 1):
    m = leading_bits(exponent)
    assert m.bit_length() == 128
    print(f"    {{0x{m >> 64:016x}, 0x{m & (1 << 64) - 1:016x}}},")
print("};")
