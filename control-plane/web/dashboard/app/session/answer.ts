import { useEffect, useState } from 'preact/hooks';

/** What the server says to a question that changes while somebody types. */
export type Answer<Value> = { value: Value | null; problem: Error | null; isWaiting: boolean };

/**
 * Asks once the key has stood still for a moment. Answers to older keys are dropped; the last one stays until the next.
 * Null asks nothing.
 */
export function useAnswer<Value>(key: string | null, ask: () => Promise<Value>, pauseMs = 350): Answer<Value> {
  const [state, setState] = useState<Answer<Value>>({ value: null, problem: null, isWaiting: key !== null });
  useEffect(() => {
    if (key === null) return setState({ value: null, problem: null, isWaiting: false });
    let isCurrent = true;
    const show = (answer: Partial<Answer<Value>>) => {
      if (isCurrent) setState(before => ({ ...before, problem: null, isWaiting: false, ...answer }));
    };
    setState(before => ({ ...before, isWaiting: true }));
    const timer = setTimeout(() => {
      ask().then(
        value => show({ value }),
        problem => show({ value: null, problem }),
      );
    }, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key]);
  return state;
}
