import type { PostAnswer } from './post.ts';

/** What an answer means for the events of its request. */
export type Verdict =
  | { action: 'again'; detail: string; retryAfterMs: number }
  | { action: 'split' }
  /** Those at these places were refused, by what was said of them. */
  | { action: 'done'; refused: ReadonlyMap<string, readonly number[]> };

type Receipt = { received: number; errors: readonly { index: number; pointer: string; detail: string }[] };

/** Pure: what an answer means for a batch of events. */
export function judge({ status, retryAfterMs, text }: PostAnswer, count: number): Verdict {
  if (status === 202) {
    // A success without a receipt is not from the control plane, but from something in front of it.
    const receipt = readJson(text) as Receipt | null;
    if (receipt?.received !== count) return { action: 'again', detail: 'the answer is no receipt', retryAfterMs };
    return { action: 'done', refused: refusalsOf(receipt) };
  }
  if (status === 413 && count > 1) return { action: 'split' };
  if (status < 400 || status === 408 || status === 429 || status >= 500)
    return { action: 'again', detail: `the server answered ${status}`, retryAfterMs };
  const problem = readJson(text) as { title?: string; detail?: string } | null;
  const detail = problem?.detail ?? problem?.title ?? `the server answered ${status}`;
  return { action: 'done', refused: new Map([[detail, Array.from({ length: count }, (_, index) => index)]]) };
}

/** The first that is wrong with an event says why it was refused. */
function refusalsOf({ errors }: Receipt): Map<string, number[]> {
  const firsts = new Map(errors.toReversed().map(error => [error.index, `${error.pointer} ${error.detail}`]));
  const refused = new Map<string, number[]>();
  for (const [index, detail] of firsts) refused.set(detail, [...(refused.get(detail) ?? []), index]);
  return refused;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
