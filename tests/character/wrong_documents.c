// SPDX-License-Identifier: Apache-2.0
//
// Everything that can be wrong with a document, and what is said about it: file, line, path of the
// value, and the reason.
#include "documents.h"

#include "sinew/eval.h"

typedef struct wrong {
    const char *text;
    sn_status status;
    const char *message; // behind the file's name
} wrong;

#define HEAD "{'sinew': 1, 'name': 'arm',\n"
#define BONES "'skeleton': {'root': {}, 'upper': {'parent': 'root'}},\n"
#define SKINS "'meshes': {'body': {}, 'coat': {}},\n'skins': {"

// --- Text that is not JSON

static const wrong syntax[] = {
    {"", SN_SYNTAX, ":1: expected a value, found the end"},
    {"   \n\n", SN_SYNTAX, ":3: expected a value, found the end"},
    {"{'sinew': 1,\n'name': 'arm'", SN_SYNTAX, ":2: expected ',' or '}', found the end"},
    {"{'sinew': 1, 'name': 'arm'}\n{}", SN_SYNTAX, ":2: expected the end of the text, found '{'"},
    {"{'sinew': 1, 'name': 'arm'} x", SN_SYNTAX, ":1: expected the end of the text, found 'x'"},
    {"{'sinew': 1, // first\n'name': 'arm'}", SN_SYNTAX, ":1: expected a key in quotes, found '/'"},
    {"{'sinew': 1, /* first */ 'name': 'arm'}", SN_SYNTAX,
     ":1: expected a key in quotes, found '/'"},
    {"# arm\n{'sinew': 1}", SN_SYNTAX, ":1: expected a value, found '#'"},
    {"{'sinew': 1, 'name': 'arm',}", SN_SYNTAX, ":1: expected a key in quotes, found '}'"},
    {"{'sinew': 1, name: 'arm'}", SN_SYNTAX, ":1: expected a key in quotes, found 'n'"},
    {"{'sinew': 1 'name': 'arm'}", SN_SYNTAX, ":1: expected ',' or '}', found '\"'"},
    {"{'sinew' 1}", SN_SYNTAX, ":1: expected ':', found '1'"},
    {"{'sinew': 1, 'name': 'arm\n'}", SN_SYNTAX,
     ":1: expected the closing quote of a string, found byte 0x0a"},
    {"{'sinew': 1, 'name': 'a\\qrm'}", SN_SYNTAX, ":1: expected an escaped character, found 'q'"},
    {"{'sinew': 1, 'name': 'a\xff'}", SN_SYNTAX, ":1: expected text in UTF-8, found byte 0xff"},
    {HEAD "'controls': {'a': {'high': NaN}}}", SN_SYNTAX, ":2: expected a value, found 'N'"},
    {HEAD "'controls': {'a': {'high': Infinity}}}", SN_SYNTAX, ":2: expected a value, found 'I'"},
    {HEAD "'controls': {'a': {'low': -Infinity}}}", SN_SYNTAX, ":2: expected a value, found '-'"},
    {HEAD "'controls': {'a': {'high': 1e999}}}", SN_SYNTAX, ":2: the number 1e999 is too large"},
    {HEAD "'controls': {'a': {'high': +1}}}", SN_SYNTAX, ":2: expected a value, found '+'"},
    {HEAD "'controls': {'a': {'high': 01}}}", SN_SYNTAX, ":2: expected a value, found '0'"},
    {HEAD "'controls': {'a': {'high': .5}}}", SN_SYNTAX, ":2: expected a value, found '.'"},
    {HEAD "'about': True}", SN_SYNTAX, ":2: expected a value, found 'T'"},
    {"{'sinew': 1, 'name': 'arm',\n'name': 'leg'}", SN_SYNTAX,
     ":2: the key 'name' is used twice in one object"},
    {HEAD "'skeleton': {\n'root': {},\n'root': {}}}", SN_SYNTAX,
     ":4: the key 'root' is used twice in one object"},
};

// --- Keys and types

static const wrong keys[] = {
    {"[]", SN_INVALID, ":1: /: expected an object, found an array"},
    {"7", SN_INVALID, ":1: /: expected an object, found 7"},
    {"{}", SN_INVALID, ":1: /: the key 'sinew' is missing"},
    {"{'sinew': 1}", SN_INVALID, ":1: /: the key 'name' is missing"},
    {"{'name': 'arm'}", SN_INVALID, ":1: /: the key 'sinew' is missing"},
    {"{'name': 'arm',\n'sinew': 1}", SN_INVALID,
     ":1: /name: the first key must be 'sinew', the version of the format"},
    {"{'sinew': 2, 'name': 'arm', 'organs': {}}", SN_UNSUPPORTED,
     ":1: /sinew: the document is of version 2, this program reads up to 1: update sinew"},
    {"{'sinew': 0, 'name': 'arm'}", SN_INVALID, ":1: /sinew: expected 1, found 0"},
    {"{'sinew': 0.5, 'name': 'arm'}", SN_INVALID, ":1: /sinew: expected a whole number, found 0.5"},
    {"{'sinew': '1', 'name': 'arm'}", SN_INVALID, ":1: /sinew: expected a whole number, found '1'"},
    {"{'sinew': 1, 'name': 5}", SN_INVALID, ":1: /name: expected a string, found 5"},
    {"{'sinew': 1, 'name': null}", SN_INVALID, ":1: /name: expected a string, found null"},
    {"{'sinew': 1, 'name': ''}", SN_INVALID,
     ":1: /name: expected a string that is not empty, found ''"},
    {HEAD "'skeletn': {}}", SN_INVALID, ":2: /skeletn: unknown key; did you mean 'skeleton'?"},
    {HEAD "'organs': {}}", SN_INVALID, ":2: /organs: unknown key"},
    {HEAD "'skeleton': []}", SN_INVALID, ":2: /skeleton: expected an object, found an array"},
    {HEAD "'skeleton': {\n'': {}}}", SN_INVALID, ":3: /skeleton/: a name may not be empty"},
    {HEAD "'skeleton': {'root': true}}", SN_INVALID,
     ":2: /skeleton/root: expected an object, found true"},
    {HEAD "'skeleton': {'root': {'Parent': 'a'}}}", SN_INVALID,
     ":2: /skeleton/root/Parent: unknown key; did you mean 'parent'?"},
    {HEAD "'skeleton': {'a/b~c': {'x': 1}}}", SN_INVALID, ":2: /skeleton/a~1b~0c/x: unknown key"},
    {HEAD "'skins': {'a': {'mesh': 'b', 'show': 1}}}", SN_INVALID,
     ":2: /skins/a/show: expected true or false, found 1"},
    {HEAD "'skins': {'a': {'show': true}}}", SN_INVALID, ":2: /skins/a: the key 'mesh' is missing"},
    {HEAD "'synergies': {}}", SN_INVALID, ":2: /synergies: expected an array, found an object"},
    {HEAD "'synergies': [{'control': 'a'}]}", SN_INVALID,
     ":2: /synergies/0: the key 'spread' is missing"},
    {HEAD "'controls': {'a': {'high': '1'}}}", SN_INVALID,
     ":2: /controls/a/high: expected a number, found '1'"},
    {HEAD "'controls': {'a': 0.5}}", SN_INVALID, ":2: /controls/a: expected an object, found 0.5"},
};

// --- Skeleton

static const wrong skeletons[] = {
    {HEAD "'skeleton': {\n'root': {},\n'arm': {'parent': 'rot'}}}", SN_INVALID,
     ":4: /skeleton/arm/parent: there is no segment 'rot'; did you mean 'root'?"},
    {HEAD "'skeleton': {\n'root': {},\n'arm': {'parent': 'pelvis'}}}", SN_INVALID,
     ":4: /skeleton/arm/parent: there is no segment 'pelvis'"},
    {HEAD "'skeleton': {\n'a': {'parent': 'a'}}}", SN_INVALID,
     ":3: /skeleton/a/parent: the segment 'a' cannot be its own parent"},
    {HEAD "'skeleton': {'x': {},\n'a': {'parent': 'b'},\n'b': {'parent': 'a'}}}", SN_INVALID,
     ":3: /skeleton/a/parent: the parents form a circle: 'a' -> 'b' -> 'a'"},
    {HEAD "'skeleton': {'d': {'parent': 'c'},\n'a': {'parent': 'b'},\n'b': {'parent': 'c'},\n"
          "'c': {'parent': 'a'}}}",
     SN_INVALID, ":5: /skeleton/c/parent: the parents form a circle: 'c' -> 'a' -> 'b' -> 'c'"},
    {HEAD "'skeleton': {'a': {'translation': [0, 1]}}}", SN_INVALID,
     ":2: /skeleton/a/translation: expected 3 values, found 2"},
    {HEAD "'skeleton': {'a': {'translation': [0, 1, 2, 3]}}}", SN_INVALID,
     ":2: /skeleton/a/translation: expected 3 values, found 4"},
    {HEAD "'skeleton': {'a': {'translation': [0,\n1,\n'2']}}}", SN_INVALID,
     ":4: /skeleton/a/translation/2: expected a number, found '2'"},
    {HEAD "'skeleton': {'a': {'rotation': [0, 0, 0]}}}", SN_INVALID,
     ":2: /skeleton/a/rotation: expected 4 values, found 3"},
    {HEAD "'skeleton': {'a': {'rotation': [0, 0, 0, 2]}}}", SN_INVALID,
     ":2: /skeleton/a/rotation: a rotation needs a quaternion of length 1, this one has 2"},
    {HEAD "'skeleton': {'a': {'rotation': [0, 0, 0, 0]}}}", SN_INVALID,
     ":2: /skeleton/a/rotation: a rotation needs a quaternion of length 1, this one has 0"},
    {HEAD "'skeleton': {'a': {'rotation': [0, 0, 0, 1e200]}}}", SN_INVALID,
     ":2: /skeleton/a/rotation: a rotation needs a quaternion of length 1, this one has inf"},
    {HEAD "'skeleton': {'a': {'rotation': [0, 0, 0, 1],\n'rotation_deg': [0, 0, 0]}}}", SN_INVALID,
     ":3: /skeleton/a/rotation_deg: a segment has either 'rotation' or 'rotation_deg'"},
    {HEAD "'skeleton': {'a': {'scale': [1, 0, 1]}}}", SN_INVALID,
     ":2: /skeleton/a/scale: a scale may not be 0"},
    {HEAD "'skeleton': {'a': {'rest': {'sz': 0}}}}", SN_INVALID,
     ":2: /skeleton/a/rest/sz: a scale may not be 0"},
    {HEAD "'skeleton': {'a': {'order': 'xyx'}}}", SN_INVALID,
     ":2: /skeleton/a/order: expected 'xyz', 'xzy', 'yxz', 'yzx', 'zxy' or 'zyx', found 'xyx'"},
    {HEAD "'skeleton': {'a': {'limits_deg': {'rx': [90, 0]}}}}", SN_INVALID,
     ":2: /skeleton/a/limits_deg/rx: the lower limit 90 is above the upper limit 0"},
    {HEAD "'skeleton': {'a': {'limits': {'rx': [0, 1]}}}}", SN_INVALID,
     ":2: /skeleton/a/limits/rx: unknown key; did you mean 'tx'?"},
    {HEAD "'skeleton': {'a': {'limits_deg': {'rx': [10, 90]}}}}", SN_INVALID,
     ":2: /skeleton/a/limits_deg/rx: the rest pose is outside: it has rx = 0"},
    {HEAD "'skeleton': {'a': {'rest_deg': {'ry': 95},\n'limits_deg': {'ry': [10, 90]}}}}",
     SN_INVALID, ":3: /skeleton/a/limits_deg/ry: the rest pose is outside: it has ry = 95"},
    {HEAD "'skeleton': {'a': {'limits': {'sx': [2, 3]}}}}", SN_INVALID,
     ":2: /skeleton/a/limits/sx: the rest pose is outside: it has sx = 1"},
};

// --- Bones, skins, deformers

static const wrong skins[] = {
    {HEAD "'meshes': {'a': {'file': 5}}}", SN_INVALID,
     ":2: /meshes/a/file: expected a string, found 5"},
    {HEAD "'meshes': {'a': {'mesh': 'body'}}}", SN_INVALID,
     ":2: /meshes/a/mesh: 'mesh' is only allowed with 'file'"},
    {HEAD "'meshes': {'a': {'fil': 'a.obj'}}}", SN_INVALID,
     ":2: /meshes/a/fil: unknown key; did you mean 'file'?"},
    {HEAD "'meshes': {'body': {'weights': 'bode'}}}", SN_INVALID,
     ":2: /meshes/body/weights: there is no mesh 'bode'; did you mean 'body'?"},
    {HEAD BONES "'meshes': {'body': {}},\n'bones': {'b': {'mesh': 'body'}}}", SN_INVALID,
     ":4: /bones/b: the key 'segment' is missing"},
    {HEAD BONES "'meshes': {'body': {}},\n'bones': {'b': {'mesh': 'body', 'segment': 'uper'}}}",
     SN_INVALID, ":4: /bones/b/segment: there is no segment 'uper'; did you mean 'upper'?"},
    {HEAD BONES "'meshes': {'body': {}},\n'bones': {'b': {'mesh': 'bod', 'segment': 'root'}}}",
     SN_INVALID, ":4: /bones/b/mesh: there is no mesh 'bod'; did you mean 'body'?"},
    {HEAD BONES "'meshes': {'body': {}},\n'bones': {'b': {'mesh': 'body', 'segment': 'root',\n"
                "'frame': 'local'}}}",
     SN_INVALID, ":5: /bones/b/frame: expected 'world', 'segment' or 'size', found 'local'"},
    {HEAD "'skins': {'a': {'mesh': 'body'}}}", SN_INVALID,
     ":2: /skins/a/mesh: there is no mesh 'body'"},
    {HEAD SKINS "'a': {'mesh': 'body', 'frame': 'world'}}}", SN_INVALID,
     ":3: /skins/a/frame: 'frame' is only allowed with 'segment'"},
    {HEAD SKINS "'a': {'mesh': 'body', 'segment': 'root'}}}", SN_INVALID,
     ":3: /skins/a/segment: there is no segment 'root'"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [7]}}}", SN_INVALID,
     ":3: /skins/a/deformers/0: expected an object, found 7"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{}]}}}", SN_INVALID,
     ":3: /skins/a/deformers/0: the key 'kind' is missing"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 1}]}}}", SN_INVALID,
     ":3: /skins/a/deformers/0/kind: expected a string, found 1"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'blnd'}]}}}", SN_INVALID,
     ":3: /skins/a/deformers/0/kind: there is no deformer 'blnd' (there are 'blend', 'morph', "
     "'wrap', 'falloff', 'cloth', 'membrane', 'implicit', 'relax', 'layers', 'lids')"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'wrap'}]}}}", SN_INVALID,
     ":3: /skins/a/deformers/0: the key 'driver_mesh' is missing"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'falloff'}]}}}", SN_INVALID,
     ":3: /skins/a/deformers/0: the key 'muscles' is missing"},
    {HEAD SKINS
     "'a': {'mesh': 'body', 'deformers': [{'kind': 'falloff', 'muscles': ['bicps']}]}},\n"
     "'muscles': {'biceps': {'kind': 'patch', 'skin': 'a', 'curves': [[[0, 0, 0], [1, 0, 0]], "
     "[[0, 1, 0], [1, 1, 0]]]}}}",
     SN_INVALID,
     ":3: /skins/a/deformers/0/muscles/0: there is no muscle 'bicps'; did you mean 'biceps'?"},
    {HEAD SKINS "'a': {'mesh': 'body'}},\n"
                "'muscles': {'biceps': {'kind': 'sheet', 'skin': 'a', 'curves': []}}}",
     SN_INVALID,
     ":4: /muscles/biceps/kind: there is no muscle 'sheet' (there are 'patch', 'cylinder', "
     "'ellipsoid', 'mesh', 'fibre', 'graph')"},
    {HEAD SKINS "'a': {'mesh': 'body'}},\n'muscles': {'biceps': {'kind': 'patch', 'skin': 'a'}}}",
     SN_INVALID, ":4: /muscles/biceps: the key 'curves' is missing"},
    {HEAD SKINS "'a': {'mesh': 'body'}},\n"
                "'muscles': {'biceps': {'kind': 'patch', 'skin': 'a', 'curves': [[[0, 0, 0]], "
                "[[0, 1, 0], [1, 1, 0]]]}}}",
     SN_INVALID, ":4: /muscles/biceps/curves/0: expected at least 2 values, found 1"},
    {HEAD SKINS
     "'a': {'mesh': 'body'}},\n"
     "'muscles': {'biceps': {'kind': 'patch', 'skin': 'b', 'curves': [[[0, 0, 0], [1, 0, "
     "0]], [[0, 1, 0], [1, 1, 0]]]}}}",
     SN_INVALID, ":4: /muscles/biceps/skin: there is no skin 'b'"},
    {HEAD SKINS "'a': {'mesh': 'body'}},\n"
                "'muscles': {'biceps': {'kind': 'patch', 'skin': 'a', 'contraction': 'flex', "
                "'curves': [[[0, 0, 0], [1, 0, 0]], [[0, 1, 0], [1, 1, 0]]]}}}",
     SN_INVALID, ":4: /muscles/biceps/contraction: there is no control 'flex'"},
    {HEAD SKINS "'a': {'mesh': 'body'}},\n"
                "'muscles': {'biceps': {'kind': 'patch', 'skin': 'a', 'depth_from': 'skelton', "
                "'curves': [[[0, 0, 0], [1, 0, 0]], [[0, 1, 0], [1, 1, 0]]]}}}",
     SN_INVALID,
     ":4: /muscles/biceps/depth_from: there is no bone, tissue or skin 'skelton'; did you mean "
     "'skeleton'?"},
    {HEAD SKINS "'a': {'mesh': 'body'}},\n"
                "'muscles': {'biceps': {'kind': 'patch', 'skin': 'a', 'depth_from': 'a', "
                "'curves': [[[0, 0, 0], [1, 0, 0]], [[0, 1, 0], [1, 1, 0]]]}}}",
     SN_INVALID, ":4: /muscles/biceps/depth_from: 'a' is the skin that the muscle is drawn on"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'morph', 'envelop': 1}]}}}",
     SN_INVALID, ":3: /skins/a/deformers/0/envelop: unknown key; did you mean 'envelope'?"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'morph', 'bones': {}}]}}}",
     SN_INVALID, ":3: /skins/a/deformers/0/bones: unknown key"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [\n{'kind': 'morph',\n'envelope': 1.5}]}}}",
     SN_INVALID, ":5: /skins/a/deformers/0/envelope: expected a number from 0 to 1, found 1.5"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'morph', 'envelope': 'all'}]}}}",
     SN_INVALID, ":3: /skins/a/deformers/0/envelope: expected a number, found 'all'"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'blend', 'method': 'cubic'}]}}}",
     SN_INVALID,
     ":3: /skins/a/deformers/0/method: expected 'linear' or 'dual_quaternion', found 'cubic'"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'blend', 'driver_mesh': 'b'}]}}}",
     SN_INVALID, ":3: /skins/a/deformers/0/driver_mesh: unknown key"},
    {HEAD BONES SKINS
     "'a': {'mesh': 'body', 'deformers': [{'kind': 'blend', 'bones': {'B': 'rot'}}]}}}",
     SN_INVALID,
     ":4: /skins/a/deformers/0/bones/B: there is no segment 'rot'; did you mean 'root'?"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'morph', 'targets': {'S': 'smil'}}]"
                "}},\n'controls': {'smile': {}}}",
     SN_INVALID,
     ":3: /skins/a/deformers/0/targets/S: there is no control 'smil'; did you mean 'smile'?"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'morph', 'driver_mesh': 'caot'}]},\n"
                "'coat': {'mesh': 'coat'}}}",
     SN_INVALID,
     ":3: /skins/a/deformers/0/driver_mesh: there is no skin 'caot'; did you mean 'coat'?"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'morph', 'driver_control': 'x'}]}}}",
     SN_INVALID,
     ":3: /skins/a/deformers/0/driver_control: 'driver_control' is only allowed with "
     "'driver_mesh'"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'morph', 'driver_mesh': 'b',\n"
                "'driver_control': 'x'}]}, 'b': {'mesh': 'coat'}}}",
     SN_INVALID, ":4: /skins/a/deformers/0/driver_control: there is no control 'x'"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'morph', 'driver_mesh': 'a'}]}}}",
     SN_INVALID, ":3: /skins/a/deformers/0/driver_mesh: the skin 'a' cannot drive itself"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'morph', 'driver_mesh': 'b'}]},\n"
                "'b': {'mesh': 'body', 'deformers': [{'kind': 'morph', 'driver_mesh': 'a'}]}}}",
     SN_INVALID,
     ":4: /skins/b/deformers/0/driver_mesh: the skins drive each other in a circle: "
     "'a' -> 'b' -> 'a'"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'morph', 'driver_mesh': 'b'}]},\n"
                "'b': {'mesh': 'body', 'deformers': [{'kind': 'morph', 'driver_mesh': 'c'}]},\n"
                "'c': {'mesh': 'body', 'deformers': [{'kind': 'morph'},\n"
                "{'kind': 'morph', 'driver_mesh': 'a'}]}}}",
     SN_INVALID,
     ":6: /skins/c/deformers/1/driver_mesh: the skins drive each other in a circle: "
     "'a' -> 'c' -> 'b' -> 'a'"},
    {HEAD SKINS "'a': {'mesh': 'body', 'look': 'silk'}}}", SN_INVALID,
     ":3: /skins/a/look: expected 'skin', 'muscle', 'bone', 'tissue', 'cloth', 'plain', "
     "'eye' or 'horn', found 'silk'"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'cloth', 'bend': -1}]}}}", SN_INVALID,
     ":3: /skins/a/deformers/0/bend: expected a number from 0 to 1000000, found -1"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'morph', 'pins': [1]}]}}}",
     SN_INVALID, ":3: /skins/a/deformers/0/pins: unknown key"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'cloth', 'pins': [1, 0.5]}]}}}",
     SN_INVALID, ":3: /skins/a/deformers/0/pins/1: expected a whole number, found 0.5"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'cloth', 'colliders': ['coatt']}]},\n"
                "'coat': {'mesh': 'coat'}}}",
     SN_INVALID,
     ":3: /skins/a/deformers/0/colliders/0: there is no bone, tissue or skin 'coatt'; did you "
     "mean 'coat'?"},
    {HEAD SKINS
     "'a': {'mesh': 'body', 'deformers': [{'kind': 'cloth', 'colliders': ['b', 'b']}]},\n"
     "'b': {'mesh': 'coat'}}}",
     SN_INVALID, ":3: /skins/a/deformers/0/colliders/1: 'b' is named twice"},
    {HEAD BONES SKINS
     "'a': {'mesh': 'body', 'deformers': [{'kind': 'cloth', 'colliders': ['b']}]},\n"
     "'b': {'mesh': 'coat'}}, 'bones': {'b': {'mesh': 'body', 'segment': 'root'}}}",
     SN_INVALID,
     ":4: /skins/a/deformers/0/colliders/0: both a bone and a skin are called 'b'; rename one of "
     "them"},
    {HEAD SKINS "'a': {'mesh': 'body', 'deformers': [{'kind': 'cloth', 'colliders': ['a']}]}}}",
     SN_INVALID,
     ":3: /skins/a/deformers/0/colliders/0: the skin 'a' cannot be a collider of itself"},
    {HEAD SKINS
     "'a': {'mesh': 'body', 'deformers': [{'kind': 'cloth', 'colliders': ['c', 'b']}]},\n"
     "'b': {'mesh': 'body', 'deformers': [{'kind': 'wrap', 'driver_mesh': 'a'}]},\n"
     "'c': {'mesh': 'body'}}}",
     SN_INVALID,
     ":4: /skins/b/deformers/0/driver_mesh: the skins drive each other in a circle: "
     "'a' -> 'b' -> 'a'"},
    {HEAD BONES SKINS
     "'a': {'mesh': 'body', 'segment': 'root', 'deformers': [{'kind': 'cloth'}]}}}",
     SN_INVALID,
     ":4: /skins/a/deformers/0: 'cloth' moves in the world, so that no segment can carry 'a'; take "
     "its 'segment' away, or move it by 'blend'"},
};

// --- Controls, synergies, drivers, landmarks

#define CONTROLS "'controls': {'fist': {}, 'bulge': {}},\n"

static const wrong rigs[] = {
    {HEAD "'controls': {'a': {'low': 2}}}", SN_INVALID,
     ":2: /controls/a: 'low' 2 is above 'high' 1"},
    {HEAD "'controls': {'a': {'low': 0, 'high': 1,\n'value': 2}}}", SN_INVALID,
     ":3: /controls/a/value: the value 2 is outside 0 to 1"},
    {HEAD BONES "'controls': {'ok': {},\n'root.rx_deg': {}}}", SN_INVALID,
     ":4: /controls/root.rx_deg: a control may not have the name of a parameter of a segment"},
    {HEAD BONES CONTROLS "'synergies': [{'control': 'fst', 'spread': {}}]}", SN_INVALID,
     ":4: /synergies/0/control: there is no control 'fst'; did you mean 'fist'?"},
    {HEAD BONES CONTROLS "'synergies': [{'control': 'fist', 'spread': {'uper.rx': 1}}]}",
     SN_INVALID,
     ":4: /synergies/0/spread/uper.rx: there is no parameter 'uper.rx'; did you mean 'upper.rx'?"},
    {HEAD BONES CONTROLS "'synergies': [{'control': 'fist', 'spread': {'upper.rw': 1}}]}",
     SN_INVALID,
     ":4: /synergies/0/spread/upper.rw: a segment has no parameter 'rw'; they are rx ry rz "
     "(radians, or rx_deg in degrees), tx ty tz, sx sy sz"},
    {HEAD BONES CONTROLS "'synergies': [{'control': 'fist', 'spread': {'upper': 1}}]}", SN_INVALID,
     ":4: /synergies/0/spread/upper: 'upper' is a segment; name one of its parameters, such as "
     "'upper.rx'"},
    {HEAD BONES CONTROLS "'synergies': [{'control': 'fist', 'spread': {'bulge': 1}}],"
                         "'drivers': [{'control': 'bulge', 'parameter': 'upper.rx'}]}",
     SN_INVALID,
     ":4: /drivers: driver 0: synergies add to control 'bulge'; a driver cannot compute it"},
    {HEAD BONES CONTROLS
     "'synergies': [{'control': 'fist', 'spread': {'upper.rx': 1, 'upper.rx_deg': 1}}]}",
     SN_INVALID, ":4: /synergies: synergy 0: it moves 'upper.rx' twice"},
    {HEAD BONES CONTROLS "'drivers': [{'control': 'bulg', 'parameter': 'upper.rx'}]}", SN_INVALID,
     ":4: /drivers/0/control: there is no control 'bulg'; did you mean 'bulge'?"},
    {HEAD BONES CONTROLS "'drivers': [{'control': 'bulge', 'parameter': 'uppr.rx'}]}", SN_INVALID,
     ":4: /drivers/0/parameter: there is no parameter 'uppr.rx'; did you mean 'upper.rx'?"},
    {HEAD BONES CONTROLS "'drivers': [{'control': 'bulge'}]}", SN_INVALID,
     ":4: /drivers/0: a driver has either 'parameter' or 'distance'"},
    {HEAD BONES CONTROLS
     "'drivers': [{'control': 'bulge', 'parameter': 'upper.rx', 'distance': ['a', 'b']}]}",
     SN_INVALID, ":4: /drivers/0: a driver has either 'parameter' or 'distance'"},
    {HEAD BONES CONTROLS "'drivers': [{'control': 'bulge', 'parameter': 'upper.rx'},\n"
                         "{'control': 'bulge', 'parameter': 'upper.ry'}]}",
     SN_INVALID, ":5: /drivers/1/control: the control 'bulge' has another driver already"},
    {HEAD BONES CONTROLS "'drivers': [{'control': 'bulge', 'parameter': 'bulge'}]}", SN_INVALID,
     ":4: /drivers: drivers and synergies form a cycle: control bulge -> control bulge"},
    {HEAD BONES CONTROLS "'synergies': [{'control': 'bulge', 'spread': {'upper.rx': 1}}],\n"
                         "'drivers': [{'control': 'bulge', 'parameter': 'upper.rx'}]}",
     SN_INVALID,
     ":5: /drivers: drivers and synergies form a cycle: control bulge -> upper.rx -> control "
     "bulge"},
    {HEAD BONES CONTROLS "'drivers': [{'control': 'bulge', 'parameter': 'upper.rx',\n"
                         "'curve': [[0, 0], [1, 1],\n[0.5, 2]]}]}",
     SN_INVALID, ":6: /drivers/0/curve/2: 0.5 does not come after 1; the first numbers must rise"},
    {HEAD BONES CONTROLS
     "'drivers': [{'control': 'bulge', 'parameter': 'upper.rx', 'curve': [[0, 0], [0, 1]]}]}",
     SN_INVALID, ":4: /drivers/0/curve/1: 0 does not come after 0; the first numbers must rise"},
    {HEAD BONES CONTROLS "'drivers': [{'control': 'bulge', 'parameter': 'upper.rx', 'curve': []}]}",
     SN_INVALID, ":4: /drivers/0/curve: expected at least 1 value, found 0"},
    {HEAD BONES CONTROLS
     "'drivers': [{'control': 'bulge', 'parameter': 'upper.rx', 'curve': [[0, 1, 2]]}]}",
     SN_INVALID, ":4: /drivers/0/curve/0: expected 2 values, found 3"},
    {HEAD BONES CONTROLS
     "'drivers': [{'control': 'bulge', 'parameter': 'upper.rx', 'interpolation': 'smooth'}]}",
     SN_INVALID, ":4: /drivers/0/interpolation: 'interpolation' is only allowed with 'curve'"},
    {HEAD BONES CONTROLS "'drivers': [{'control': 'bulge', 'distance': ['elbow', 'wrist']}],\n"
                         "'landmarks': {'elbw': {'segment': 'root', 'position': [0, 0, 0]}}}",
     SN_INVALID, ":4: /drivers/0/distance/0: there is no landmark 'elbow'; did you mean 'elbw'?"},
    {HEAD BONES CONTROLS "'drivers': [{'control': 'bulge', 'distance': ['a', 'a', 'a']}]}",
     SN_INVALID, ":4: /drivers/0/distance: expected 2 values, found 3"},
    {HEAD BONES CONTROLS "'drivers': [{'control': 'bulge', 'distance': ['nose', 'nose']}],\n"
                         "'meshes': {'body': {}},\n"
                         "'landmarks': {'nose': {'mesh': 'body', 'vertex': 0}}}",
     SN_INVALID,
     ":4: /drivers/0/distance/0: the landmark 'nose' lies on a mesh; a distance needs landmarks "
     "on segments"},
    {HEAD BONES "'landmarks': {'nose': {}}}", SN_INVALID,
     ":3: /landmarks/nose: a landmark has either 'segment' and 'position' or 'mesh' and 'vertex'"},
    {HEAD BONES "'landmarks': {'nose': {'segment': 'root'}}}", SN_INVALID,
     ":3: /landmarks/nose: a landmark has either 'segment' and 'position' or 'mesh' and 'vertex'"},
    {HEAD BONES "'landmarks': {'nose': {'segment': 'root', 'position': [0, 0, 0], 'vertex': 1}}}",
     SN_INVALID,
     ":3: /landmarks/nose: a landmark has either 'segment' and 'position' or 'mesh' and 'vertex'"},
    {HEAD "'landmarks': {'nose': {'mesh': 'body', 'vertex': -1}}}", SN_INVALID,
     ":2: /landmarks/nose/vertex: expected a whole number from 0 to 4294967294, found -1"},
    {HEAD "'landmarks': {'nose': {'mesh': 'body', 'vertex': 1.5}}}", SN_INVALID,
     ":2: /landmarks/nose/vertex: expected a whole number, found 1.5"},
    {HEAD "'landmarks': {'nose': {'mesh': 'body', 'vertex': 5000000000}}}", SN_INVALID,
     ":2: /landmarks/nose/vertex: expected a whole number from 0 to 4294967294, found 5000000000"},
    {HEAD BONES "'landmarks': {'nose': {'segment': 'head', 'position': [0, 0, 0]}}}", SN_INVALID,
     ":3: /landmarks/nose/segment: there is no segment 'head'"},
};

// --- Clips

static const wrong clips[] = {
    {HEAD "'clips': {'c': {}}}", SN_INVALID, ":2: /clips/c: a clip has either 'file' or 'tracks'"},
    {HEAD "'clips': {'c': {'file': 'a.bvh', 'tracks': {}}}}", SN_INVALID,
     ":2: /clips/c: a clip has either 'file' or 'tracks'"},
    {HEAD "'clips': {'c': {'tracks': {}, 'clip': 'walk'}}}", SN_INVALID,
     ":2: /clips/c/clip: 'clip' is only allowed with 'file'"},
    {HEAD "'clips': {'c': {'tracks': {}, 'scale': 2}}}", SN_INVALID,
     ":2: /clips/c/scale: 'scale' is only allowed with 'file'"},
    {HEAD BONES "'clips': {'c': {'tracks': {}, 'pairing': {}}}}", SN_INVALID,
     ":3: /clips/c/pairing: 'pairing' is only allowed with 'file'"},
    {HEAD BONES "'clips': {'c': {'file': 'a.bvh', 'pairing': {'uper': 'Arm'}}}}", SN_INVALID,
     ":3: /clips/c/pairing/uper: there is no segment 'uper'; did you mean 'upper'?"},
    {HEAD BONES "'clips': {'c': {'file': 'a.bvh', 'pairing': {'upper': 3}}}}", SN_INVALID,
     ":3: /clips/c/pairing/upper: expected text, an object or null, found 3"},
    {HEAD BONES "'clips': {'c': {'file': 'a.bvh', 'pairing': {'upper': ''}}}}", SN_INVALID,
     ":3: /clips/c/pairing/upper: "},
    {HEAD BONES "'clips': {'c': {'file': 'a.bvh', 'pairing': null}}}", SN_INVALID,
     ":3: /clips/c/pairing: expected an object, found null"},
    {HEAD BONES "'clips': {'c': {'file': 'a.bvh', 'pairing': {'upper': {'A': 2}}}}}", SN_INVALID,
     ":3: /clips/c/pairing/upper/A: expected a number from 1e-09 to 1, found 2"},
    {HEAD BONES "'clips': {'c': {'file': 'a.bvh', 'pairing': {'upper': {'A': 0.5, 'B': 0.2}}}}}",
     SN_INVALID, ":3: /clips/c/pairing/upper: the shares add up to 0.7, not to 1"},
    {HEAD BONES "'clips': {'c': {'file': 'a.bvh', 'pairing': {'upper': {}}}}}", SN_INVALID,
     ":3: /clips/c/pairing/upper: shares are of one joint or of two, not of 0"},
    {HEAD "'clips': {'c': {'file': 'a.bvh', 'frames': 5}}}", SN_INVALID,
     ":2: /clips/c/frames: 'frames' is only allowed with 'tracks'"},
    {HEAD "'clips': {'c': {'file': 'a.bvh', 'scale': 0}}}", SN_INVALID,
     ":2: /clips/c/scale: expected a number from 1e-09 to 1000000000, found 0"},
    {HEAD "'clips': {'c': {'tracks': {}, 'rate': -24}}}", SN_INVALID,
     ":2: /clips/c/rate: expected a number from 1e-09 to 1000000000, found -24"},
    {HEAD "'clips': {'c': {'tracks': {}, 'frames': 0}}}", SN_INVALID,
     ":2: /clips/c/frames: expected a whole number from 1 to 1000000000, found 0"},
    {HEAD BONES "'clips': {'c': {'tracks': {\n'uper.rx': {'keys': [[0, 0]]}}}}}", SN_INVALID,
     ":4: /clips/c/tracks/uper.rx: there is no parameter 'uper.rx'; did you mean 'upper.rx'?"},
    {HEAD BONES "'clips': {'c': {'tracks': {'upper.rx': {}}}}}", SN_INVALID,
     ":3: /clips/c/tracks/upper.rx: the key 'keys' is missing"},
    {HEAD BONES "'clips': {'c': {'tracks': {'upper.rx': {'keys': []}}}}}", SN_INVALID,
     ":3: /clips/c/tracks/upper.rx/keys: expected at least 1 value, found 0"},
    {HEAD BONES "'clips': {'c': {'tracks': {'upper.rx': {'keys': [[0, 0], [0, 1]]}}}}}", SN_INVALID,
     ":3: /clips/c/tracks/upper.rx/keys/1: 0 does not come after 0; the first numbers must rise"},
    {HEAD BONES "'clips': {'c': {'tracks': {'upper.rx': {'keys': [\n[-1, 0], [0, 1]]}}}}}",
     SN_INVALID,
     ":4: /clips/c/tracks/upper.rx/keys/0: the first key is at -1 s; a clip begins at 0"},
    {HEAD BONES "'clips': {'c': {'tracks': {'upper.rx': {'keys': [[0]]}}}}}", SN_INVALID,
     ":3: /clips/c/tracks/upper.rx/keys/0: expected 2 values, found 1"},
    {HEAD BONES "'clips': {'c': {'tracks': {'upper.rx': {'interpolation': 'cubic',\n"
                "'keys': [[0, 0]]}}}}}",
     SN_INVALID,
     ":3: /clips/c/tracks/upper.rx/interpolation: expected 'stepped', 'linear' or 'smooth', found "
     "'cubic'"},
    {HEAD BONES "'clips': {'c': {'tracks': {'upper.rx': {'keys': [[0, 0]]},\n"
                "'upper.rx_deg': {'keys': [[0, 0]]}}}}}",
     SN_INVALID,
     ":3: /clips/c/tracks: the tracks 'upper.rx' and 'upper.rx_deg' give the same parameter"},
    {HEAD BONES CONTROLS "'drivers': [{'control': 'bulge', 'parameter': 'upper.rx'}],\n"
                         "'clips': {'c': {'tracks': {'bulge': {'keys': [[0, 0]]}}}}}",
     SN_INVALID,
     ":5: /clips/c/tracks/bulge: the control 'bulge' has a driver; a clip cannot move it"},
    {HEAD BONES "'clips': {'c': {'tracks': {'upper.rx': {'keys': [[1e12, 0]]}}}}}", SN_INVALID,
     ":3: /clips/c: the clip is 1e+12 s long, more than 1e9 frames"},
};

// Whether an error is as the table says; prints both otherwise. What a reader says about its own
// file is left out of the table where the message ends in a blank.
static bool is_as_expected(const wrong *w, sn_status status, const sn_error *error,
                           const char *path, const char *folder) {
    char found[2600], wanted[2600], *message = quoted(w->message);
    sn_error_format(error, found, sizeof found);
    for (char *c = found; *c != 0; ++c) {
        *c = *c == '\'' ? '"' : *c;
    }
    const char *name = strstr(message, "FOLDER");
    snprintf(wanted, sizeof wanted, "%s%.*s%s%s", path,
             name != NULL ? (int)(name - message) : (int)strlen(message), message,
             name != NULL ? folder : "", name != NULL ? name + 6 : "");
    free(message);
    size_t length = strlen(wanted);
    bool whole = wanted[length - 1] != ' ';
    bool same = strncmp(found, wanted, length) == 0 && whole == (strlen(found) == length);
    if (!same || status != w->status || error->status != w->status) {
        print_error("%s\nexpected (%s) %s\nfound    (%s) %s\n\n", w->text,
                    sn_status_name(w->status), wanted, sn_status_name(status), found);
        return false;
    }
    return true;
}

static void check_table(const wrong *table, size_t count) {
    sn_context *context = snt_context(1);
    int wrong_count = 0;
    for (size_t i = 0; i < count; ++i) {
        sn_error error = {0};
        sn_character *character = (sn_character *)&error;
        sn_status status =
            parse_quoted(context, "arm.sinew.json", table[i].text, &character, &error);
        wrong_count += !is_as_expected(&table[i], status, &error, "arm.sinew.json", "");
        assert_null(character);
    }
    assert_int_equal(wrong_count, 0);
    snt_context_end(context);
}

#define TABLE_TEST(table)                                                                          \
    static void refuses_wrong_##table(void **state) {                                              \
        (void)state;                                                                               \
        check_table(table, sizeof table / sizeof *table);                                          \
    }

TABLE_TEST(syntax)
TABLE_TEST(keys)
TABLE_TEST(skeletons)
TABLE_TEST(skins)
TABLE_TEST(rigs)
TABLE_TEST(clips)

static void refuses_deep_nesting(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    char text[1024] = "{\"sinew\": 1, \"name\": \"arm\",\n\"skeleton\": ";
    for (int i = 0; i < 200; ++i) {
        strcat(text, "[");
    }
    sn_character *character;
    snt_fails(SN_LIMIT, "arm.sinew.json:2: nested deeper than 128",
              sn_character_parse(context, "arm.sinew.json", text, strlen(text), &character, error));
    snt_context_end(context);
}

static void names_long_circles(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    // A thousand segments in a circle, and as many skins: the message stays one line.
    char *text = malloc(1 << 18);
    size_t used = (size_t)sprintf(text, "{\"sinew\": 1, \"name\": \"a\", \"skeleton\": {");
    for (int i = 0; i < 1000; ++i) {
        used += (size_t)sprintf(text + used, "%s\"segment %d\": {\"parent\": \"segment %d\"}",
                                i > 0 ? "," : "", i, (i + 1) % 1000);
    }
    sprintf(text + used, "}}");
    sn_character *character;
    snt_fails(SN_INVALID, "circle: \"segment 0\" -> \"segment 1\" -> ",
              sn_character_parse(context, "a", text, strlen(text), &character, error));
    snt_fails(SN_INVALID, "... -> \"segment 0\"",
              sn_character_parse(context, "a", text, strlen(text), &character, error));
    used = (size_t)sprintf(text,
                           "{\"sinew\": 1, \"name\": \"a\", \"meshes\": {\"m\": {}}, \"skins\": {");
    for (int i = 0; i < 1000; ++i) {
        used += (size_t)sprintf(text + used,
                                "%s\"skin %d\": {\"mesh\": \"m\", \"deformers\": [{\"kind\": "
                                "\"morph\", \"driver_mesh\": \"skin %d\"}]}",
                                i > 0 ? "," : "", i, (i + 1) % 1000);
    }
    sprintf(text + used, "}}");
    snt_fails(SN_INVALID, "circle: \"skin 0\" -> \"skin 999\" -> \"skin 998\" -> ",
              sn_character_parse(context, "a", text, strlen(text), &character, error));
    free(text);
    snt_context_end(context);
}

// --- What only the files tell

static const char moved_tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1.5\nf 1 2 3\n";
static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                  "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static const char walk[] =
    "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n"
    "End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n1 0 0\n";

#define BODY(file) HEAD "'meshes': {'body': {" file "}},\n'skins': {'body': {'mesh': 'body'"

static const wrong models[] = {
    {BODY("'file': 'none.obj'") "}}}", SN_IO,
     ":2: /meshes/body/file: FOLDER/none.obj: cannot open: No such file or directory"},
    {BODY("'file': 'bad.obj'") "}}}", SN_SYNTAX, ":2: /meshes/body/file: FOLDER/bad.obj:2: "},
    {BODY("'file': 'cut.glb'") "}}}", SN_SYNTAX, ":2: /meshes/body/file: FOLDER/cut.glb: "},
    {BODY("'file': 'walk.bvh'") "}}}", SN_INVALID,
     ":2: /meshes/body/file: the file 'walk.bvh' has no mesh"},
    {BODY("'file': 'body.txt'") "}}}", SN_UNSUPPORTED, ":2: /meshes/body/file: FOLDER/body.txt: "},
    {BODY("'file': 'body.obj', 'mesh': 'bodi'") "}}}", SN_INVALID,
     ":2: /meshes/body/mesh: the file 'body.obj' has no mesh 'bodi'; did you mean 'body'?"},
    {BODY("'file': 'two.gltf'") "}}}", SN_INVALID,
     ":2: /meshes/body/file: the file 'two.gltf' has 2 meshes; name one with 'mesh', such as "
     "'left'"},
    {BODY("'about': 'from memory'") "}}}", SN_INVALID,
     ":2: /meshes/body: the mesh has no 'file', and none was given from memory"},
    {HEAD "'meshes': {'body': {'file': 'body.obj', 'weights': 'face'},\n'face': {'file': "
          "'face.obj'}},\n'skins': {'body': {'mesh': 'body'}}}",
     SN_INVALID, ":2: /meshes/body/weights: the mesh 'face' has no weights"},
    {HEAD "'meshes': {'body': {'file': 'body.obj', 'weights': 'moved'},\n'moved': {'file': "
          "'moved.obj'}},\n'skins': {'body': {'mesh': 'body'}}}",
     SN_INVALID,
     ":2: /meshes/body/weights: vertex 3 is 500 mm away from that of 'moved', whose weights it "
     "should take"},
    {BODY("'file': 'body.obj'") ",\n'deformers': [{'kind': 'blend'}]}}}", SN_INVALID,
     ":4: /skins/body/deformers/0: the mesh 'body' has no weights for 'blend'"},
    {BODY("'file': 'body.obj'") ",\n'deformers': [{'kind': 'morph'}]}}}", SN_INVALID,
     ":4: /skins/body/deformers/0: the mesh 'body' has no morph targets, and 'morph' has no "
     "'driver_mesh' and no 'poses'"},
    {BODY("'file': 'body.obj'") "}},\n'landmarks': {'nose': {'mesh': 'body', 'vertex': 4}}}",
     SN_INVALID,
     ":4: /landmarks/nose/vertex: the mesh 'body' has 4 vertices, there is no vertex 4"},
    {HEAD "'meshes': {'body': {'file': 'body.obj'}, 'small': {'file': 'face.obj'}},\n"
          "'skins': {'small': {'mesh': 'small'}, 'body': {'mesh': 'body', 'deformers': [\n"
          "{'kind': 'morph', 'driver_mesh': 'small'}]}}}",
     SN_INVALID,
     ":4: /skins/body/deformers/0: morph: driver mesh 'face' has 3 vertices, but 'body' has 4"},
    {HEAD "'skeleton': {\n'a': {'scale': [1e200, 1, 1]}, 'b': {'parent': 'a', 'scale': [1e200, 1, "
          "1]}}}",
     SN_INVALID, ":3: /skeleton/a: the rest pose is too large for this segment to have a place"},
};

static const char two_meshes[] =
    "{\"asset\": {\"version\": \"2.0\"}, \"buffers\": [{\"byteLength\": 36, \"uri\": \"data:"
    "application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}],\n"
    "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": 36}],\n"
    "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 3, \"type\": "
    "\"VEC3\", \"min\": [0, 0, 0], \"max\": [1, 1, 0]}],\n"
    "\"meshes\": [{\"name\": \"left\", \"primitives\": [{\"attributes\": {\"POSITION\": 0}}]},\n"
    "{\"name\": \"right\", \"primitives\": [{\"attributes\": {\"POSITION\": 0}}]}],\n"
    "\"nodes\": [{\"mesh\": 0}, {\"mesh\": 1}], \"scenes\": [{\"nodes\": [0, 1]}], \"scene\": 0}";

static void refuses_wrong_files(void **state) {
    (void)state;
    char folder[2048], path[2100];
    snprintf(folder, sizeof folder, "%s", snt_scratch("x"));
    *strrchr(folder, '/') = 0;
    snprintf(path, sizeof path, "%s", snt_scratch("arm.sinew.json"));
    write_text(snt_scratch("body.obj"), tetrahedron);
    write_text(snt_scratch("body.txt"), tetrahedron);
    write_text(snt_scratch("face.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write_text(snt_scratch("moved.obj"), moved_tetrahedron);
    write_text(snt_scratch("bad.obj"), "v 0 0 0\nv 1 0\nf 1 2 2\n");
    write_text(snt_scratch("walk.bvh"), walk);
    write_text(snt_scratch("two.gltf"), two_meshes);
    write_bytes(snt_scratch("cut.glb"), "glTF\2\0\0\0\377\0\0\0\20\0\0\0JSON", 20);
    sn_context *context = snt_context(1);
    int wrong_count = 0;
    for (size_t i = 0; i < sizeof models / sizeof *models; ++i) {
        sn_character *character = NULL;
        sn_model *model = NULL;
        snt_ok(parse_quoted(context, path, models[i].text, &character, error));
        sn_error error = {0};
        sn_status status = sn_model_create(character, NULL, &model, &error);
        wrong_count += !is_as_expected(&models[i], status, &error, path, folder);
        assert_null(model);
        sn_character_destroy(character);
    }
    assert_int_equal(wrong_count, 0);
    snt_context_end(context);
}

static void names_wrong_clips_of_files(void **state) {
    (void)state;
    write_text(snt_scratch("body.obj"), tetrahedron);
    write_text(snt_scratch("walk.bvh"), walk);
    sn_context *context = snt_context(1);
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    const char *path = snt_scratch("arm.sinew.json");
    snt_ok(parse_quoted(context, path,
                        HEAD "'skeleton': {'hips': {}},\n'clips': {\n"
                             "'still': {'file': 'body.obj'},\n"
                             "'none': {'file': 'none.bvh'},\n"
                             "'run': {'file': 'walk.bvh', 'clip': 'run'},\n"
                             "'fast': {'file': 'walk.bvh', 'rate': 1e9, 'scale': 1e-9},\n"
                             "'endless': {'file': 'slow.bvh', 'rate': 1e9}}}",
                        &character, error));
    write_text(
        snt_scratch("slow.bvh"),
        "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n"
        "End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: 100\n0 0 0\n1 0 0\n");
    snt_ok(sn_model_create(character, NULL, &model, error));
    snt_fails(SN_INVALID, "arm.sinew.json:4: /clips/still: the file has no motion",
              sn_motion_open(model, "still", &motion, error));
    snt_fails(SN_IO, "arm.sinew.json:5: /clips/none/file: ",
              sn_motion_open(model, "none", &motion, error));
    snt_fails(SN_INVALID, "arm.sinew.json:6: /clips/run/clip: the file has no clip \"run\"",
              sn_motion_open(model, "run", &motion, error));
    snt_fails(SN_INVALID,
              "arm.sinew.json:8: /clips/endless: the clip is 100 s long, at 1e+09 frames per "
              "second more than 1e9 frames",
              sn_motion_open(model, "endless", &motion, error));
    snt_fails(SN_INVALID, "there is no clip \"dance\" (the document has still, none, run, fast,",
              sn_motion_open(model, "dance", &motion, error));
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_wrong_syntax),    cmocka_unit_test(refuses_wrong_keys),
        cmocka_unit_test(refuses_wrong_skeletons), cmocka_unit_test(refuses_wrong_skins),
        cmocka_unit_test(refuses_wrong_rigs),      cmocka_unit_test(refuses_wrong_clips),
        cmocka_unit_test(refuses_deep_nesting),    cmocka_unit_test(names_long_circles),
        cmocka_unit_test(refuses_wrong_files),     cmocka_unit_test(names_wrong_clips_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
