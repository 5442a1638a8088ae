import type { StreamMessage } from './broker.ts';
import { processTime } from './time.ts';

/**
 * Gathers what has arrived by now: at least one message, in order, at most `messagesMax` and about `bytesMax` bytes.
 * Ends when the messages do.
 */
export async function* gather(
  messages: AsyncIterable<StreamMessage>,
  { messagesMax, bytesMax }: { messagesMax: number; bytesMax: number },
  turn = processTime.turn,
): AsyncGenerator<StreamMessage[]> {
  const iterator = messages[Symbol.asyncIterator]();
  /** A failure is thrown when its turn comes; until then it must not count as unhandled. */
  const ask = () => {
    const asked = iterator.next();
    asked.catch(() => {});
    return asked;
  };
  let next = ask();
  for (;;) {
    const first = await next;
    if (first.done === true) return;
    const batch = [first.value];
    let bytes = first.value.data.length;
    next = ask();
    while (batch.length < messagesMax && bytes < bytesMax) {
      const more = await orNothing(next, turn);
      if (more === null || more.done === true) break;
      batch.push(more.value);
      bytes += more.value.data.length;
      next = ask();
    }
    yield batch;
  }
}

/** Null if nothing has arrived within a turn of the event loop. */
function orNothing<Value>(arriving: Promise<Value>, turn: () => Promise<unknown>): Promise<Value | null> {
  return Promise.race([arriving, turn().then(() => null)]);
}
