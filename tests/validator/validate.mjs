// SPDX-License-Identifier: Apache-2.0
//
// node validate.mjs FILE...: prints what the Khronos glTF validator says about each file, one line
// per finding, and exits 1 when one of them is an error (with --strict: or a warning).
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import validator from "gltf-validator";

const severities = ["error", "warning", "information", "hint"];
const names = process.argv.slice(2).filter((name) => !name.startsWith("--"));
const strict = process.argv.includes("--strict");
let failed = names.length === 0;

for (const name of names) {
  const bytes = new Uint8Array(await readFile(name));
  const report = await validator.validateBytes(bytes, {
    uri: basename(name),
    maxIssues: 100,
    externalResourceFunction: async (uri) =>
      new Uint8Array(await readFile(join(dirname(name), decodeURIComponent(uri)))),
  });
  const { numErrors, numWarnings, messages } = report.issues;
  console.log(`${name}: ${numErrors} errors, ${numWarnings} warnings`);
  for (const { severity, code, message, pointer } of messages) {
    console.log(`  ${severities[severity]}: ${pointer ?? ""}: ${code}: ${message}`);
  }
  failed ||= numErrors > 0 || (strict && numWarnings > 0);
}
process.exitCode = failed ? 1 : 0;
