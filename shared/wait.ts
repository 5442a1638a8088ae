import { setTimeout } from 'node:timers/promises';

/**
 * Resolves after `ms` milliseconds. Rejects with an AbortError when the signal aborts; `ref: false` lets the process
 * end meanwhile.
 */
export async function wait(ms: number, options: { signal?: AbortSignal; ref?: boolean } = {}): Promise<void> {
  await setTimeout(ms, undefined, options);
}
