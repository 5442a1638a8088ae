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
    projectId: z.string().optional(),
  }),
);
const confirmedPerSecond = 50;
const requestedPerSecond = 100;
const ofProjectPerSecond = 50;
const payloadBytes = 7500;

/** What was sent to an agent in one second. */
type Window = { second: number; confirmed: number; requested: number; byProject: Map<string, number> };

/**
 * Limits the immediate checks of each agent in a second: 50 confirmations, and apart from them 100 checks on request,
 * 50 of one project. The others wait for their slot, so that an outage of many monitors causes no storm of checks, and
 * no project takes the room of another's confirmations.
 */
export class CheckNowLimiter {
  readonly #windows = new Map<string, Window>();

  /** True if the agent may be sent one more in this second. `projectId` asks for the check; null: a confirmation. */
  take(agentId: string, projectId: string | null, nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000);
    let window = this.#windows.get(agentId);
    if (window === undefined || window.second !== second) {
      window = { second, confirmed: 0, requested: 0, byProject: new Map() };
      this.#windows.set(agentId, window);
    }
    if (projectId === null) {
      window.confirmed += 1;
      return window.confirmed <= confirmedPerSecond;
    }
    const ofProject = window.byProject.get(projectId) ?? 0;
    if (window.requested >= requestedPerSecond || ofProject >= ofProjectPerSecond) return false;
    window.requested += 1;
    window.byProject.set(projectId, ofProject + 1);
    return true;
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
