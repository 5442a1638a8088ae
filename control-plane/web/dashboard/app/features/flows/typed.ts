import { useLayoutEffect, useRef } from 'preact/hooks';

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * A field that shows a value from the server without overwriting what the user typed: a new value is shown only if the
 * field still holds the previous one.
 */
export function useServerValue<Host extends Control>(value: string): { current: Host | null } {
  const field = useRef<Host>(null);
  const shown = useRef<string | null>(null);
  useLayoutEffect(() => {
    const host = field.current;
    if (host === null || shown.current === value) return;
    if (shown.current === null || host.value === shown.current) host.value = value;
    shown.current = value;
  });
  return field;
}
