import type { StreamMessage, StreamStanding } from './broker.ts';

/** How far a stream was read: the last message that came, how many came, and whether another is waited for. */
export type Reading = { seq: number; taken: number; isWaiting: boolean };

/** The messages as they come, and in `reading` where they are. */
export async function* follow(
  messages: AsyncIterable<StreamMessage>,
  reading: Reading,
): AsyncGenerator<StreamMessage, void> {
  const iterator = messages[Symbol.asyncIterator]();
  for (;;) {
    reading.isWaiting = true;
    const next = await iterator.next();
    reading.isWaiting = false;
    if (next.done === true) return;
    reading.seq = next.value.seq;
    reading.taken += 1;
    yield next.value;
  }
}

/**
 * Says at each look whether nothing came since the look before, although the stream had more at both. A client that
 * lost its server may wait like that for minutes, without an error.
 */
export function stallOf(reading: Reading): (standing: StreamStanding) => boolean {
  let takenBefore: number | null = null;
  return ({ firstSeq, lastSeq }) => {
    const isBehind = reading.isWaiting && Math.max(reading.seq, firstSeq - 1) < lastSeq;
    const isStalled = isBehind && takenBefore === reading.taken;
    takenBefore = isBehind ? reading.taken : null;
    return isStalled;
  };
}
