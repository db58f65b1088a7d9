// Runs every *.test.mjs of this folder (or those named), one after the other: they share a machine of two cores. Ends with `N passed, N failed`.

import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(here).filter((name) => name.endsWith('.test.mjs'))
  .filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word))).sort().map((name) => path.join(here, name));
let passed = 0, failed = 0;
const stream = run({ files, concurrency: 1, timeout: 240000 });
stream.on('test:pass', (data) => { if (data.details?.type !== 'suite') passed++; });
stream.on('test:fail', (data) => { if (data.details?.type !== 'suite') failed++; });
stream.compose(new spec()).pipe(process.stdout);
stream.on('end', () => {
  setImmediate(() => {
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
    process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
  });
});
