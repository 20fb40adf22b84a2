// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_MUSCLE_GRAPH_NEIGHBOURS_H
#define SINEW_MUSCLE_GRAPH_NEIGHBOURS_H

#include "muscle/graph/graph.h"

#endif
