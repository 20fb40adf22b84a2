// SPDX-License-Identifier: Apache-2.0
#include "wire/pages.h"

#include <stdlib.h>

wire_packet *wire_packet_create(size_t size, bool binary) {
    if (size > SIZE_MAX - sizeof(wire_packet)) {
        return NULL;
    }
    wire_packet *packet = malloc(sizeof *packet + size);
    if (packet) {
        packet->size = size;
        packet->binary = binary;
    }
    return packet;
}
