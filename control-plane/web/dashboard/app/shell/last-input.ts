import { useEffect } from 'preact/hooks';

/** Notes at the root whether the last input came from a pointer or from keys: styles show the focus by it. */
export function useLastInput(): void {
  useEffect(() => {
    const stop = new AbortController();
    const note = (input: 'pointer' | 'keys') => () => {
      document.documentElement.dataset.input = input;
    };
    const options = { capture: true, passive: true, signal: stop.signal };
    addEventListener('pointerdown', note('pointer'), options);
    addEventListener('keydown', note('keys'), options);
    return () => stop.abort();
  }, []);
}
