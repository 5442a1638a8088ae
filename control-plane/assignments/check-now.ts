/** A request to look at a monitor at once from its other regions. `at` becomes the check's `scheduled_at`. */
export type Confirmation = { monitorId: string; configVersion: number; at: number; exceptRegion: string };

const perSecond = 50;
const payloadBytes = 7500;

/** At most 50 immediate checks an agent and second: the rest wait for their slot, so that an outage of many monitors is no storm. */
export class CheckNowLimiter {
  readonly #windows = new Map<string, { second: number; sent: number }>();

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

  forget(agentId: string): void {
    this.#windows.delete(agentId);
  }
}

/** Confirmations as texts below the 8,000 bytes of NOTIFY. */
export function packConfirmations(confirmations: readonly Confirmation[]): string[] {
  const payloads: string[] = [];
  let held: Confirmation[] = [];
  for (const confirmation of confirmations) {
    if (JSON.stringify([...held, confirmation]).length > payloadBytes) {
      payloads.push(JSON.stringify(held));
      held = [];
    }
    held.push(confirmation);
  }
  return held.length === 0 ? payloads : [...payloads, JSON.stringify(held)];
}

/** Reads what another replica packed; anything else is nothing. */
export function unpackConfirmations(payload: string): Confirmation[] {
  if (payload === '') return [];
  return JSON.parse(payload) as Confirmation[];
}
