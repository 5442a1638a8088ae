import { readFileSync } from 'node:fs';
import { weightOf } from './weight.ts';

type Machine = {
  memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  heaviest(from: number, to: number, monitorHash: number): number;
};
/** What Node's types leave out. */
type WebAssembly = {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: object };
};

const machine = openMachine();

/** Null on a processor without SIMD, which some virtual machines have. */
function openMachine(): Machine | null {
  try {
    const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssembly }).WebAssembly;
    const code = readFileSync(new URL('heaviest.wasm', import.meta.url));
    return new Instance(new Module(code)).exports as Machine;
  } catch {
    return null;
  }
}

const pageBytes = 65_536;
const rowBytes = 16;
const rowLength = 4;

/** Where the agents of a list lie, for as long as the memory has not been begun anew. */
type Span = { from: number; to: number; turn: number };

const spans = new WeakMap<Uint32Array, Span>();
let [turn, end] = [0, 0];

/**
 * The place of the agent with the highest weight, of equals the first; there is at least one, and the list never
 * changes. A restart computes ten thousand million weights for 10,000 agents and a million monitors: four at a time, by
 * `heaviest.wat`, they cost a quarter of what JavaScript takes.
 */
export function heaviest(agentHashes: Uint32Array, monitorHash: number): number {
  if (machine === null) return heaviestOneByOne(agentHashes, monitorHash);
  let span = spans.get(agentHashes);
  if (span?.turn !== turn) {
    span = write(machine, agentHashes);
    spans.set(agentHashes, span);
  }
  return machine.heaviest(span.from, span.to, monitorHash);
}

/** The same without WebAssembly. */
export function heaviestOneByOne(agentHashes: Uint32Array, monitorHash: number): number {
  let [place, best] = [0, -1];
  for (let index = 0; index < agentHashes.length; index++) {
    const weight = weightOf(agentHashes[index] as number, monitorHash);
    if (weight <= best) continue;
    best = weight;
    place = index;
  }
  return place;
}

/** Lists lie behind each other. Without room for one more, the memory is begun anew, and those in use written again. */
function write({ memory }: Machine, agentHashes: Uint32Array): Span {
  const rows = Math.ceil(agentHashes.length / rowLength);
  const bytes = rows * rowBytes;
  if (end + bytes > memory.buffer.byteLength) {
    [turn, end] = [turn + 1, 0];
    const missing = bytes - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
  }
  const copy = new Uint32Array(memory.buffer, end, rows * rowLength);
  copy.fill(agentHashes[0] ?? 0, agentHashes.length);
  copy.set(agentHashes);
  const span = { from: end, to: end + bytes, turn };
  end += bytes;
  return span;
}
