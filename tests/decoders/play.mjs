// SPDX-License-Identifier: Apache-2.0
//
// node play.mjs NAME: plays the character NAME.glb or NAME.usda with three.js and compares what it
// shows with the full evaluation. NAME.json lists its skins and clips, NAME.points holds float32
// x y z of every vertex of the skins in every frame. Exits 1 when a clip is farther off than sinew
// has reported.
import { readFile } from "node:fs/promises";
import * as three from "three";
import { USDLoader } from "three/examples/jsm/loaders/USDLoader.js";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";

globalThis.self ??= globalThis; // the loader is written for pages
const [name] = process.argv.slice(2);
const about = JSON.parse(await readFile(`${name}.json`, "utf8"));
const bytes = async (path) => {
  const read = await readFile(path);
  return read.buffer.slice(read.byteOffset, read.byteOffset + read.length);
};
const points = new Float32Array(await bytes(`${name}.points`));
// USD gives every corner of a face a vertex of its own; `corners` tells whose it is.
const corners = about.corners;
const gltf = corners ? loadUsd(await readFile(`${name}.usda`, "utf8"))
  : await new GLTFLoader().parseAsync(await bytes(`${name}.glb`), "");

function loadUsd(text) {
  const scene = new USDLoader().parse(text);
  return { scene, animations: scene.animations };
}

// three.js changes names that have dots or spaces in them.
function findSkin({ name: wanted, vertices }) {
  const fitting = [];
  gltf.scene.traverse((thing) => {
    const { count } = thing.geometry?.attributes.position ?? { count: 0 };
    if (thing.isSkinnedMesh && (count === vertices || count === corners?.length)) {
      fitting.push(thing);
    }
  });
  return fitting.find((thing) => thing.name === wanted) ?? fitting[0];
}

function compare(clip, skins, start) {
  const animation = gltf.animations.find((one) => one.name === clip.name);
  if (!animation) {
    throw new Error(`three.js has no clip ${clip.name}`);
  }
  const mixer = new three.AnimationMixer(gltf.scene);
  const action = mixer.clipAction(animation);
  action.clampWhenFinished = true;
  action.setLoop(three.LoopOnce, 1).play();
  const shown = new three.Vector3(), expected = new three.Vector3(), first = new three.Vector3();
  const stride = 3 * skins.reduce((all, { vertices }) => all + vertices, 0);
  let at = start, sum = 0, count = 0, largest = 0, moved = 0;
  for (let frame = 0; frame < clip.frames; ++frame) {
    mixer.setTime(frame / clip.rate);
    gltf.scene.updateMatrixWorld(true);
    for (const skin of skins) {
      skin.skeleton.update();
      if (skin.morphTargetInfluences?.some((weight) => weight < 0 || weight > 1)) {
        throw new Error(`clip ${clip.name}: a weight is not within 0 to 1`);
      }
      for (let v = 0; v < skin.vertices; ++v, at += 3) {
        skin.getVertexPosition(skin.places?.[v] ?? v, shown).applyMatrix4(skin.matrixWorld);
        expected.fromArray(points, at);
        const gap = shown.distanceTo(expected);
        sum += gap;
        ++count;
        largest = Math.max(largest, gap);
        first.fromArray(points, start + (at - start) % stride);
        moved = Math.max(moved, expected.distanceTo(first));
      }
    }
  }
  mixer.stopAllAction();
  mixer.uncacheRoot(gltf.scene);
  const mean = sum / count;
  console.log(`clip ${clip.name}: ${(1e3 * mean).toFixed(4)} mm off on average, reported ` +
    `${(1e3 * clip.mean).toFixed(4)}; ${(1e3 * largest).toFixed(3)} mm at most`);
  return { end: at, good: mean < 1.05 * clip.mean + 1e-5 && moved > 0.01 };
}

const skins = about.skins.map(findSkin);
let good = skins.every((skin) => skin), at = 0;
skins.forEach((skin, i) => Object.assign(skin ?? {}, { vertices: about.skins[i].vertices }));
if (good && corners && skins[0].geometry.attributes.position.count === corners.length) {
  skins[0].places = [];
  corners.forEach((vertex, corner) => (skins[0].places[vertex] = corner));
}
for (const clip of good ? about.clips : []) {
  const result = compare(clip, skins, at);
  good = good && result.good;
  at = result.end;
}
if (at !== points.length) {
  console.log(`${points.length - at} numbers are left: three.js shows other skins`);
  good = false;
}
process.exitCode = good ? 0 : 1;
