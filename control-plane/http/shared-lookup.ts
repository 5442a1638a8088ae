type Run<Value> = { current: Promise<unknown>; next: Promise<Value> | null };

/**
 * Looks up each key at most once at a time. Who asks while a look is on its way shares the next one, which starts after the
 * question: an answer is never older than its question, so what was revoked before is seen.
 */
export function sharedLookup<Value>(look: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const runs = new Map<string, Run<Value>>();

  const start = (key: string): Promise<Value> => {
    const value = look(key);
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
