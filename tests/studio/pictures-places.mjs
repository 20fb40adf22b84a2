// SPDX-License-Identifier: Apache-2.0
//
// Places of a character on the screen.

/** A pixel at which a bone is hit, near a part of its box, and what is hit there. */
export function boneAt(page, name, part) {
    return page.evaluate(([bone, share]) => {
        const {viewport, slots} = window.sinewStudio;
        const surface = slots[0].model.surfaces.find((s) => s.layer === 'bone' && s.name === bone);
        const box = viewport.canvas.getBoundingClientRect();
        const hits = [];
        for (let i = 0; i < surface.vertexCount; ++i) {
            const [x, y, z] = surface.points.subarray(3 * i, 3 * i + 3);
            const at = viewport.project({x, y, z});
            const event = {clientX: at.x + box.left, clientY: at.y + box.top};
            const hit = viewport.pick(event, {layers: ['bone'], slot: 0});
            if (hit?.surface === surface) {
                hits.push({x: event.clientX, y: event.clientY, height: y});
            }
        }
        hits.sort((a, b) => a.height - b.height);
        return hits[Math.floor(share * (hits.length - 1))] ?? null;
    }, [name, part]);
}
