// SPDX-License-Identifier: Apache-2.0
//
// node compare.mjs MODEL.gltf FOLDER: decodes the compressed meshes of a model with the decoders of
// three.js and compares them with FOLDER/N.positions and FOLDER/N.faces, which sinew has read for
// mesh N. Exits 1 when a position differs by more than 1e-5 of the mesh's size, or a face at all.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { MeshoptDecoder } from "three/examples/jsm/libs/meshopt_decoder.module.js";

const tolerance = 1e-5;
const [name, folder] = process.argv.slice(2);
const gltf = JSON.parse(await readFile(name, "utf8"));
const files = await Promise.all(
  gltf.buffers.map((b) => (b.uri ? readFile(join(dirname(name), b.uri)) : null)));
const arrays = { 5120: Int8Array, 5121: Uint8Array, 5122: Int16Array, 5123: Uint16Array,
  5125: Uint32Array, 5126: Float32Array };

// The bytes of a buffer view, by meshoptimizer where it is compressed.
function viewBytes(index) {
  const view = gltf.bufferViews[index];
  const packed = view.extensions?.EXT_meshopt_compression;
  const from = packed ?? view;
  const bytes = new Uint8Array(files[from.buffer].buffer,
    files[from.buffer].byteOffset + (from.byteOffset ?? 0), from.byteLength);
  if (!packed) {
    return bytes;
  }
  const out = new Uint8Array(packed.count * packed.byteStride);
  MeshoptDecoder.decodeGltfBuffer(out, packed.count, packed.byteStride, bytes, packed.mode,
    packed.filter);
  return out;
}

function readAccessor(index, width) {
  const accessor = gltf.accessors[index];
  const bytes = viewBytes(accessor.bufferView);
  const Type = arrays[accessor.componentType];
  const stride = gltf.bufferViews[accessor.bufferView].byteStride ?? width * Type.BYTES_PER_ELEMENT;
  const out = [];
  for (let i = 0; i < accessor.count; ++i) {
    const at = bytes.byteOffset + (accessor.byteOffset ?? 0) + i * stride;
    out.push(...new Type(bytes.buffer.slice(at, at + width * Type.BYTES_PER_ELEMENT)));
  }
  return out;
}

// The decoder module of three.js is written for pages and CommonJS.
async function loadDraco() {
  const require = createRequire(import.meta.url);
  const path = require.resolve("three/examples/jsm/libs/draco/gltf/draco_decoder.js");
  const make = new Function("module", "exports", "require", "__dirname", "process",
    `${await readFile(path, "utf8")}; return DracoDecoderModule;`);
  return make({}, {}, require, dirname(path), process)();
}

function decodeDraco(draco, primitive) {
  const packed = primitive.extensions.KHR_draco_mesh_compression;
  const bytes = viewBytes(packed.bufferView);
  const decoder = new draco.Decoder();
  const buffer = new draco.DecoderBuffer();
  buffer.Init(new Int8Array(bytes), bytes.length);
  const mesh = new draco.Mesh();
  if (!decoder.DecodeBufferToMesh(buffer, mesh).ok()) {
    throw new Error("three.js cannot decode it");
  }
  const values = new draco.DracoFloat32Array();
  const attribute = decoder.GetAttributeByUniqueId(mesh, packed.attributes.POSITION);
  decoder.GetAttributeFloatForAllPoints(mesh, attribute, values);
  const positions = Array.from({ length: values.size() }, (_, i) => values.GetValue(i));
  const faces = [];
  const face = new draco.DracoInt32Array();
  for (let i = 0; i < mesh.num_faces(); ++i) {
    decoder.GetFaceFromMesh(mesh, i, face);
    faces.push(face.GetValue(0), face.GetValue(1), face.GetValue(2));
  }
  return { positions, faces };
}

async function compare(mesh, number) {
  const read = async (kind, Type) => {
    const bytes = await readFile(join(folder, `${number}.${kind}`));
    return new Type(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  };
  const primitive = mesh.primitives[0];
  const expected = primitive.extensions?.KHR_draco_mesh_compression
    ? decodeDraco(await loadDraco(), primitive)
    : { positions: readAccessor(primitive.attributes.POSITION, 3),
        faces: readAccessor(primitive.indices, 1) };
  const positions = await read("positions", Float32Array);
  const faces = await read("faces", Uint32Array);
  const size = expected.positions.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  let worst = 0;
  expected.positions.forEach((x, i) => (worst = Math.max(worst, Math.abs(x - positions[i]))));
  const same = faces.length === expected.faces.length &&
    positions.length === expected.positions.length && expected.faces.every((x, i) => x === faces[i]);
  console.log(`mesh ${number}: ${positions.length / 3} vertices, ${faces.length / 3} faces, ` +
    `positions differ by ${worst} of ${size}, faces ${same ? "agree" : "differ"}`);
  return same && worst <= tolerance * Math.max(size, 1);
}

await MeshoptDecoder.ready;
let good = true;
for (const [number, mesh] of gltf.meshes.entries()) {
  good = (await compare(mesh, number)) && good;
}
process.exitCode = good ? 0 : 1;
