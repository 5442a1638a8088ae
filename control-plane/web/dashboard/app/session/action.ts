import { useRef, useState } from 'preact/hooks';

/** A user's action: it never runs twice at a time, and its error is shown where it was started. */
export type Action = {
  running: boolean;
  problem: Error | null;
  /** Resolves to whether the work succeeded. */
  run(work: () => Promise<void>): Promise<boolean>;
  clear(): void;
};

export function useAction(): Action {
  const [shown, setShown] = useState({ running: false, problem: null as Error | null });
  const running = useRef(false);
  return {
    ...shown,
    run: work => runOnce(running, work, setShown),
    clear: () => setShown(before => ({ ...before, problem: null })),
  };
}

type Shown = { running: boolean; problem: Error | null };

/** Runs the work unless it runs already, and shows that it runs and how it ended. */
export async function runOnce(
  running: { current: boolean },
  work: () => Promise<void>,
  show: (shown: Shown) => void,
): Promise<boolean> {
  if (running.current) return false;
  running.current = true;
  show({ running: true, problem: null });
  let problem: Error | null = null;
  try {
    await work();
  } catch (error) {
    problem = error instanceof Error ? error : new Error(String(error));
  }
  running.current = false;
  show({ running: false, problem });
  return problem === null;
}
