import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { readDraft, writeDraft } from './drafts.ts';

type DraftState<Value> = {
  draft: Value;
  change(changes: Partial<Value>): void;
  /** Forgets what was typed: it was sent, or is not wanted. */
  discard(): void;
};

/** What somebody types into a dialog, under a key of its own: it survives a reload and a new sign-in. */
export function useDraft<Value extends object>(key: string, start: Value): DraftState<Value> {
  const [draft, setDraft] = useState<Value>(() => ({ ...start, ...readMembers(key, start) }));
  const started = useRef(JSON.stringify(start));
  // Before anybody can leave: what was typed last counts, too.
  useLayoutEffect(() => {
    const text = JSON.stringify(draft);
    writeDraft(key, text === started.current ? {} : { value: text });
  }, [draft]);
  return {
    draft,
    change: changes => setDraft(before => ({ ...before, ...changes })),
    discard: () => writeDraft(key, {}),
  };
}

/** The stored members that fit: another version of this page may have written them. */
function readMembers<Value extends object>(key: string, start: Value): Partial<Value> {
  try {
    const stored: unknown = JSON.parse(readDraft(key).value ?? '{}');
    const fitting = Object.entries(Object(stored)).filter(([name, value]) => {
      const usual: unknown = Reflect.get(start, name);
      return typeof value === typeof usual && Array.isArray(value) === Array.isArray(usual) && value !== null;
    });
    return Object.fromEntries(fitting) as Partial<Value>;
  } catch {
    return {};
  }
}
