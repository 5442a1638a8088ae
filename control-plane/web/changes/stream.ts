import { secondMs } from '#shared/duration.ts';
import { allows, type Caller } from '../../platform/http/endpoint/caller.ts';
import { Problem } from '../../platform/http/problem.ts';
import { type Batch, mergeBatches, visibleTo } from './batch.ts';
import type { ChangeFeed } from './feed.ts';

const beatMs = 3 * secondMs;
/** Expiry needs no change of anything to take effect. */
const identifyEveryMs = 30 * secondMs;

type Options = {
  feed: ChangeFeed;
  caller: Caller;
  /** The instant of the last event that the client got; null: it knows nothing. */
  lastEventId: number | null;
  /** Throws a problem once the caller may no longer read. */
  identify(): Promise<Caller>;
  signal: AbortSignal;
};

/** What is to be sent; `untilMs` is null if nothing was read since. */
type Pending = { untilMs: number | null; batch: Batch };

/**
 * The text of the stream: `ready`, then `change` events, and a `beat` where there is nothing to say for three seconds.
 * A caller who may no longer read, or less than before, gets `end`, and nothing of what changed since.
 */
export async function* streamChanges({ feed, caller, lastEventId, identify, signal }: Options): AsyncIterable<string> {
  const pending: Pending = { untilMs: null, batch: new Map() };
  let wake = () => {};
  const stop = feed.subscribe(caller.projectId, (untilMs, batch) => {
    pending.untilMs = untilMs;
    pending.batch = mergeBatches(pending.batch, batch);
    if (batch.size > 0) wake();
  });
  signal.addEventListener('abort', () => wake(), { once: true });
  let scopes = caller.scopes;
  let identifiedAt = feed.now();
  try {
    const startMs = feed.now();
    yield event('ready', { resumed: lastEventId !== null, beat_ms: beatMs }, startMs);
    const missed = lastEventId === null ? null : await feed.since(caller.projectId, lastEventId);
    if (missed !== null && missed.size > 0) yield* describe(visibleTo(scopes, missed), startMs);
    while (!signal.aborted) {
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, beatMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (pending.batch.size > 0 || signal.aborted) wake();
      });
      if (signal.aborted) return;
      const { untilMs, batch } = pending;
      Object.assign(pending, { untilMs: null, batch: new Map() });
      // Tokens and sessions belong to the project's changes.
      if (batch.has('project') || feed.now() - identifiedAt >= identifyEveryMs) {
        const { scopes: current } = await identify();
        if (!scopes.every(scope => allows(current, scope))) throw new Problem('insufficient_scope');
        scopes = current;
        identifiedAt = feed.now();
      }
      const visible = visibleTo(scopes, batch);
      if (visible.size === 0) yield event('beat', {}, untilMs);
      else yield* describe(visible, untilMs);
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    yield event('end', { code: error.code }, null);
  } finally {
    stop();
  }
}

/** One event a topic; the last of them bears the id, so that a client that breaks off in between gets all again. */
function* describe(batch: Batch, untilMs: number | null): Iterable<string> {
  const topics = [...batch];
  for (const [index, [topic, ids]] of topics.entries()) {
    const data = { topic, ids: ids === null ? null : [...ids] };
    yield event('change', data, index === topics.length - 1 ? untilMs : null);
  }
}

function event(name: string, data: unknown, id: number | null): string {
  return `event: ${name}\n${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}
