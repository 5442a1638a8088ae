/**
 * The result of one attempt. `note`: what there is to say of one that was sent, `blame`: it counts against the channel
 * nevertheless. `refused` is permanent, `failed` is retried. `ours`: the recipient is not to blame,
 * because our own server was unreachable or rejected the message itself.
 */
export type Outcome =
  | { type: 'sent'; note?: string; blame?: boolean }
  | { type: 'refused'; error: string; gone: boolean; ours: boolean }
  | { type: 'failed'; error: string; retryAfterMs: number | null; ours: boolean }
  | { type: 'on_hold'; error: string }
  | { type: 'cancelled'; error: string };

export function onHold(error: string): Outcome {
  return { type: 'on_hold', error };
}

export function cancelled(error: string): Outcome {
  return { type: 'cancelled', error };
}
