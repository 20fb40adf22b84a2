// SPDX-License-Identifier: Apache-2.0
//
// All of sinew.
//
// The headers are the same for every build of the library. A library that is built without
// SINEW_MAKE or SINEW_RENDER lacks the calls that their comments give these options for
// (docs/library.md); a program that makes one of them does not link.
#ifndef SINEW_H
#define SINEW_H

#include "sinew/base.h"
#include "sinew/character.h"
#include "sinew/eval.h"
#include "sinew/file.h"
#include "sinew/fit.h"
#include "sinew/geometry.h"
#include "sinew/io.h"
#include "sinew/json.h"
#include "sinew/kinds.h"
#include "sinew/live.h"
#include "sinew/mesh.h"
#include "sinew/motion.h"
#include "sinew/parameter.h"
#include "sinew/render.h"
#include "sinew/skin.h"
#include "sinew/vector.h"

#endif
