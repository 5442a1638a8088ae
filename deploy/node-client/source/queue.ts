/** An event as the API takes it. */
export type SentEvent = {
  type: 'track' | 'error' | 'identify';
  name?: string;
  external_user_id?: string;
  session_id?: string;
  props?: Readonly<Record<string, unknown>>;
  timestamp: string;
  dedup_id: string;
};

/** An event as it waits: its text, so that nothing can change in it, and none is made twice. */
type Waiting = { text: string; bytes: number };

/** What a request is made of at most, and what waits at most. */
export type QueueLimits = { batchMax: number; batchBytes: number; queueMax: number; queueBytes: number };

export type Queue = ReturnType<typeof createQueue>;

/** Events in the order in which they were tracked. */
export function createQueue({ batchMax, batchBytes, queueMax, queueBytes }: QueueLimits) {
  let waiting: Waiting[] = [];
  /** Before this one, those of `waiting` are gone: to shift each would move all the others. */
  let first = 0;
  let bytes = 0;
  const size = () => waiting.length - first;
  const shift = (): Waiting | undefined => {
    const event = waiting[first];
    if (event === undefined) return undefined;
    first += 1;
    bytes -= event.bytes;
    if (first > 1000 && first * 2 > waiting.length) {
      waiting = waiting.slice(first);
      first = 0;
    }
    return event;
  };
  return {
    size,
    /** Adds an event. Returns those that are given up for it, the oldest; `others` is how many are being sent. */
    add: (text: string, others: number): string[] => {
      const event = { text, bytes: Buffer.byteLength(text) };
      if (event.bytes > batchBytes) return [text];
      waiting.push(event);
      bytes += event.bytes;
      const dropped: string[] = [];
      while (size() > 1 && (size() + others > queueMax || bytes > queueBytes)) dropped.push(shift()?.text ?? '');
      return dropped;
    },
    /** Takes the oldest events, as many as a request may have. */
    take: (): string[] => {
      const texts: string[] = [];
      let sum = 0;
      while (texts.length < batchMax) {
        const next = waiting[first];
        if (next === undefined || sum + next.bytes > batchBytes) break;
        sum += next.bytes;
        texts.push(next.text);
        shift();
      }
      return texts;
    },
  };
}
