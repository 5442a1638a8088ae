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
    projectId: z.string(),
  }),
);
/** In a second, of an agent: of all projects, and of one. */
const limits = { confirm: { all: 50, ofProject: 40 }, scheduled: { all: 100, ofProject: 50 } };
const payloadBytes = 7500;

/** An immediate check: a confirmation, or one on request, which counts like those of the slots. */
export type CheckNow = { kind: keyof typeof limits; projectId: string };
type Sent = { all: number; byProject: Map<string, number> };
/** What was sent to an agent in one second. */
type Window = Record<CheckNow['kind'], Sent> & { second: number };

/**
 * Limits the immediate checks of each agent in a second: 50 confirmations, 40 of one project, and apart from them 100
 * checks on request, 50 of one project. The others wait for their slot, so that an outage of many monitors causes no
 * storm of checks, and no project takes all the room of another's confirmations.
 */
export class CheckNowLimiter {
  readonly #windows = new Map<string, Window>();

  /** True if the agent may be sent one more in this second. */
  take(agentId: string, { kind, projectId }: CheckNow, nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000);
    let window = this.#windows.get(agentId);
    if (window === undefined || window.second !== second) {
      const none = (): Sent => ({ all: 0, byProject: new Map() });
      window = { second, confirm: none(), scheduled: none() };
      this.#windows.set(agentId, window);
    }
    const sent = window[kind];
    const ofProject = sent.byProject.get(projectId) ?? 0;
    if (sent.all >= limits[kind].all || ofProject >= limits[kind].ofProject) return false;
    sent.all += 1;
    sent.byProject.set(projectId, ofProject + 1);
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
