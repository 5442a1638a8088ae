import { useEffect } from 'preact/hooks';

type Handlers = { palette(): void; help(): void };

/** Keys that work everywhere but in fields and dialogs: see the help dialog. */
export const shortcuts: readonly (readonly [keys: string, what: string])[] = [
  ['Ctrl K', 'Search and run commands'],
  ['/', 'Search in this list'],
  ['j  k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['?', 'Show these shortcuts'],
];

export function useShortcuts({ palette, help }: Handlers): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        return palette();
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isBusy(event.target)) return;
      const act = actionOf(event.key, help);
      if (act === null) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** Whether keys belong to what has the focus: a field, or an open dialog. */
function isBusy(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open]') !== null) return true;
  const element = target as HTMLElement | null;
  if (element instanceof HTMLInputElement) return !['checkbox', 'radio'].includes(element.type);
  return element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement;
}

function actionOf(key: string, help: () => void): (() => void) | null {
  switch (key) {
    case '?':
      return help;
    case '/':
      return () => document.querySelector<HTMLInputElement>('[data-search]')?.focus();
    case 'j':
      return () => moveRow(1);
    case 'k':
      return () => moveRow(-1);
    case 'x':
      return () => currentRow()?.querySelector<HTMLInputElement>('input[type="checkbox"]')?.click();
    default:
      return null;
  }
}

function currentRow(): HTMLElement | null {
  return (document.activeElement?.closest('[data-row]') as HTMLElement | null) ?? null;
}

/** Moves the focus to the link of the row before or after; to the first row if none has it. */
function moveRow(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.indexOf(currentRow() as HTMLElement);
  const row = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))];
  const target = row?.querySelector<HTMLElement>('a, button, select');
  target?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: 'nearest' });
}
