type Run<Value> = { current: Promise<unknown>; next: Promise<Value> | null };

/**
 * Runs at most one lookup per key at a time. Calls during a lookup share the next one, which starts when it ends. So no
 * result is older than its call, and a revocation before the call is always seen. A failed lookup rejects calls that
 * share it; the next one tries again.
 */
export function singleFlight<Value>(lookUp: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const runs = new Map<string, Run<Value>>();

  const start = (key: string): Promise<Value> => {
    const value = lookUp(key);
    const run: Run<Value> = { current: Promise.resolve(), next: null };
    run.current = value
      .catch(() => {})
      .then(() => {
        if (runs.get(key) === run && run.next === null) runs.delete(key);
      });
    runs.set(key, run);
    return value;
  };

  return key => {
    const run = runs.get(key);
    if (run === undefined) return start(key);
    run.next ??= run.current.then(() => start(key));
    return run.next;
  };
}
