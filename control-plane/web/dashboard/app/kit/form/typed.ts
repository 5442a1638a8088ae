import { useLayoutEffect, useRef } from 'preact/hooks';

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * A field that shows a value from the server without overwriting what the user typed: a new value is shown only if the
 * field still holds the previous one.
 */
export function useServerValue<Host extends Field>(value: string): { current: Host | null } {
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

/** The same for a checkbox. */
export function useServerChecked(checked: boolean): { current: HTMLInputElement | null } {
  const field = useRef<HTMLInputElement>(null);
  const shown = useRef<boolean | null>(null);
  useLayoutEffect(() => {
    const host = field.current;
    if (host === null || shown.current === checked) return;
    if (shown.current === null || host.checked === shown.current) host.checked = checked;
    shown.current = checked;
  });
  return field;
}
