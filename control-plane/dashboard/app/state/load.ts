import { useEffect, useRef, useState } from 'preact/hooks';
import { type Freshness, type Poller, startPolling } from '../data/poll.ts';
import { useApp } from './app.ts';

/** Data of a view with how current it is. */
export type Load<Value> = {
  /** Null before the first load, and again after `key` has changed. */
  value: Value | null;
  freshness: Freshness;
  /** Loads now; resolves when the load has ended. */
  refresh(): Promise<void>;
  /** Shows a value that a change of the caller returned. */
  set(value: Value): void;
};

const nothingLoaded: Freshness = { asOf: null, error: null };

/**
 * Loads again and again while the page is visible. A new `key` forgets the value and loads at once; an answer for an
 * older key is dropped.
 */
export function useLoad<Value>(
  key: string,
  load: (previous: Value | null) => Promise<Value>,
  everyMs: number | ((value: Value | null) => number),
): Load<Value> {
  type State = { key: string; value: Value | null; freshness: Freshness };
  const [state, setState] = useState<State>({ key, value: null, freshness: nothingLoaded });
  const { refreshes } = useApp();
  const current = useRef({ load, everyMs, value: null as Value | null });
  current.current.load = load;
  current.current.everyMs = everyMs;
  const poller = useRef<Poller | null>(null);

  useEffect(() => {
    let stopped = false;
    current.current.value = null;
    const started = startPolling({
      load: async () => {
        const value = await current.current.load(current.current.value);
        if (!stopped) current.current.value = value;
      },
      intervalMs: () => intervalOf(current.current.everyMs, current.current.value),
      onFreshness: freshness => setState({ key, value: current.current.value, freshness }),
    });
    poller.current = started;
    return () => {
      stopped = true;
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
      setState(before => ({ ...before, key, value }));
    },
  };
}

function intervalOf<Value>(everyMs: number | ((value: Value | null) => number), value: Value | null): number {
  return typeof everyMs === 'number' ? everyMs : everyMs(value);
}
