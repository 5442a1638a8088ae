import { writeFileSync } from 'node:fs';
import { assemble, wasmFile } from './assemble.ts';

// Writes `heaviest.wasm` anew after a change of `heaviest.wat`.
writeFileSync(wasmFile, await assemble());
