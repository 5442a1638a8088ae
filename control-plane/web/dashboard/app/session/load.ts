import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from './app.ts';
import type { Topic } from './change-stream.ts';
import type { Changed, LiveChanges } from './live.ts';
import { type Freshness, type Poller, startPolling } from './poll.ts';

/** Data of a view with how current it is. */
export type Load<Value> = {
  /** Null before the first load, and again after `key` has changed. */
  value: Value | null;
  freshness: Freshness;
  /** Loads now; resolves when the load has ended. */
  refresh(): Promise<void>;
  /** Shows a value that a change of the caller returned, or a first part of what is being loaded. */
  set(value: Value): void;
};

const nothingLoaded: Freshness = { asOf: null, error: null };
const never: readonly Topic[] = [];
/** How often to look where changes are announced. */
const liveEveryMs = 30_000;
/** Many changes at once are one load. */
const gatherMs = 500;

/**
 * Loads again and again while the page is visible. A new `key` forgets the value and loads at once; an answer for an
 * older key is dropped. With `topics`, it loads when one of them changes, and otherwise rarely: `load` gets the ids of
 * what changed since it was last called, none where it is only time to look again, null where anything may have
 * changed.
 */
export function useLoad<Value>(
  key: string,
  load: (previous: Value | null, changed: Changed) => Promise<Value>,
  everyMs: number | ((value: Value | null) => number),
  topics: readonly Topic[] = never,
): Load<Value> {
  type State = { key: string; value: Value | null; freshness: Freshness };
  const [state, setState] = useState<State>({ key, value: null, freshness: nothingLoaded });
  const { refreshes, live } = useApp();
  const current = useRef({ load, everyMs, value: null as Value | null, changed: null as Changed });
  current.current.load = load;
  current.current.everyMs = everyMs;
  const poller = useRef<Poller | null>(null);

  useEffect(() => {
    let stopped = false;
    current.current.value = null;
    current.current.changed = null;
    const intervalMs = (): number => {
      const usualMs = intervalOf(current.current.everyMs, current.current.value);
      return topics.length > 0 && live.isLive.value ? Math.max(liveEveryMs, usualMs) : usualMs;
    };
    const started = startPolling({
      load: async () => {
        const { changed } = current.current;
        current.current.changed = new Set();
        try {
          const value = await current.current.load(current.current.value, changed);
          if (!stopped) current.current.value = value;
        } catch (error) {
          current.current.changed = null;
          throw error;
        }
      },
      intervalMs,
      onFreshness: freshness => setState({ key, value: current.current.value, freshness }),
    });
    poller.current = started;
    const unfollow = follow(live, topics, started, changed => {
      current.current.changed = union(current.current.changed, changed);
    });
    return () => {
      stopped = true;
      unfollow();
      started.stop();
    };
  }, [key]);
  useEffect(() => {
    if (refreshes.value > 0) void poller.current?.refresh();
  }, [refreshes.value]);

  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : null,
    freshness: isCurrent ? state.freshness : nothingLoaded,
    refresh: async () => poller.current?.refresh(),
    set: value => {
      current.current.value = value;
      setState(before => ({
        key,
        value,
        freshness: before.freshness.asOf === null ? { asOf: Date.now(), error: null } : before.freshness,
      }));
    },
  };
}

/** Loads when something of the topics changes, and at once when changes are no longer announced. */
function follow(
  live: LiveChanges,
  topics: readonly Topic[],
  poller: Poller,
  setChanged: (changed: Changed) => void,
): () => void {
  if (topics.length === 0) return () => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  let gathered: Changed = new Set();
  const unlisten = live.on(topics, changed => {
    gathered = union(gathered, changed);
    timer ??= setTimeout(() => {
      timer = undefined;
      // A page that is shown again loads everything.
      if (document.hidden) return;
      setChanged(gathered);
      gathered = new Set();
      void poller.refresh();
    }, gatherMs);
  });
  let wasLive = live.isLive.value;
  const unwatch = live.isLive.subscribe(isLive => {
    if (wasLive && !isLive && !document.hidden) {
      poller.doubt();
      void poller.refresh();
    }
    wasLive = isLive;
  });
  return () => {
    clearTimeout(timer);
    unlisten();
    unwatch();
  };
}

function union(left: Changed, right: Changed): Changed {
  return left === null || right === null ? null : new Set([...left, ...right]);
}

function intervalOf<Value>(everyMs: number | ((value: Value | null) => number), value: Value | null): number {
  return typeof everyMs === 'number' ? everyMs : everyMs(value);
}
