import { readFileSync } from 'node:fs';
import wabt from 'wabt';

export const wasmFile = new URL('../../../../control-plane/monitoring/assignments/heaviest.wasm', import.meta.url);

/** What `heaviest.wat` says, as the program that runs. */
export async function assemble(): Promise<Uint8Array> {
  const text = readFileSync(new URL('heaviest.wat', wasmFile), 'utf8');
  const module = (await wabt()).parseWat('heaviest.wat', text, { simd: true });
  try {
    module.validate();
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
}
