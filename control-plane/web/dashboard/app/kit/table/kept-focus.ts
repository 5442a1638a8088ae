import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Keeps the focus on the handle of a row that moves: a row that moves within the document, or is made anew elsewhere,
 * loses it. `order` is a text that differs whenever rows stand differently.
 */
export function useKeptFocus<List extends HTMLElement>(order: string) {
  const list = useRef<List>(null);
  const focused = useRef<string | null>(null);
  // Before the next key is handled: it would go to nobody.
  useLayoutEffect(() => {
    if (focused.current === null || document.activeElement !== document.body) return;
    list.current?.querySelector<HTMLElement>(`[data-handle="${focused.current}"]`)?.focus();
  }, [order]);
  const handleProps = (id: string) => ({
    'data-handle': id,
    onFocus: () => {
      focused.current = id;
    },
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
      const forget = () => {
        focused.current = null;
      };
      if (relatedTarget !== null) return forget();
      // It was moved, and has the focus again by then; or somebody clicked where nothing takes it.
      const handle = currentTarget as HTMLElement;
      queueMicrotask(() => {
        if (handle.isConnected && document.activeElement === document.body) forget();
      });
    },
  });
  return { list, handleProps };
}
