import { z } from 'zod';
import type { Confirmation } from '#shared/vocabulary.ts';

const confirmationsSchema = z.array(
  z.object({
    monitorId: z.string(),
    configVersion: z.int(),
    at: z.number(),
    exceptRegion: z.string(),
    regions: z.array(z.string()).optional(),
    kind: z.literal('scheduled').optional(),
  }),
);
const perSecond = 50;
const payloadBytes = 7500;

/**
 * Allows 50 immediate checks per agent and second. The others wait for their slot, so that an outage of many monitors
 * causes no storm of checks.
 */
export class CheckNowLimiter {
  readonly #windows = new Map<string, { second: number; sent: number }>();

  /** True if the agent may be sent one more in this second. */
  take(agentId: string, nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000);
    const window = this.#windows.get(agentId);
    if (window === undefined || window.second !== second) {
      this.#windows.set(agentId, { second, sent: 1 });
      return true;
    }
    window.sent += 1;
    return window.sent <= perSecond;
  }

  /** To be called when the agent disconnects. */
  forget(agentId: string): void {
    this.#windows.delete(agentId);
  }
}

/** Confirmations as JSON texts below the 8,000 bytes of NOTIFY. */
export function packConfirmations(confirmations: readonly Confirmation[]): string[] {
  const payloads: string[] = [];
  let batch: Confirmation[] = [];
  for (const confirmation of confirmations) {
    if (JSON.stringify([...batch, confirmation]).length > payloadBytes) {
      payloads.push(JSON.stringify(batch));
      batch = [];
    }
    batch.push(confirmation);
  }
  return batch.length === 0 ? payloads : [...payloads, JSON.stringify(batch)];
}

/** Reads a text made by `packConfirmations`; none from any other text: a listener must not throw. */
export function unpackConfirmations(payload: string): Confirmation[] {
  try {
    return confirmationsSchema.parse(JSON.parse(payload));
  } catch {
    return [];
  }
}
