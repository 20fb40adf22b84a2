// SPDX-License-Identifier: Apache-2.0
//
// All of sinew.
#ifndef SINEW_H
#define SINEW_H

#include "sinew/base.h"
#include "sinew/character.h"
#include "sinew/eval.h"
#include "sinew/fit.h"
#include "sinew/geometry.h"
#include "sinew/io.h"
#include "sinew/json.h"
#include "sinew/kinds.h"
#include "sinew/live.h"
#include "sinew/mesh.h"
#include "sinew/motion.h"
#include "sinew/render.h"
#include "sinew/skin.h"
#include "sinew/vector.h"

#endif
