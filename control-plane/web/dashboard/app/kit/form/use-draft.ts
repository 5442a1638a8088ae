import { useRef, useState } from 'preact/hooks';
import { readDraft, writeDraft } from './drafts.ts';

/** What somebody types into a form. */
export type Draft<Value> = {
  get(): Value;
  set(value: Value): void;
  /** Starts again: what was typed is not wanted. */
  reset(): void;
  /** Stores nothing of it any more: it was sent. */
  forget(): void;
};

type Host<Value> = Draft<Value> & { follow(key: string | null, start: Value): void };

/**
 * Keeps what was typed under a key: it survives a reload and a new sign-in. Null keeps it while the form is shown.
 * Members that nobody changed follow `start`. `kept` says what of a draft may be stored.
 */
export function useDraft<Value extends object>(
  key: string | null,
  start: Value,
  kept: (value: Value) => Value = value => value,
): Draft<Value> {
  const [, setVersion] = useState(0);
  const host = useRef<Host<Value> | null>(null);
  host.current ??= openDraft(key, start, kept, () => setVersion(version => version + 1));
  host.current.follow(key, start);
  return host.current;
}

function openDraft<Value extends object>(
  firstKey: string | null,
  firstStart: Value,
  kept: (value: Value) => Value,
  show: () => void,
): Host<Value> {
  let [key, start] = [firstKey, firstStart];
  let edits = stored(key, start);
  let value = { ...start, ...edits };
  const edit = (changed: Partial<Value>): void => {
    edits = changed;
    value = { ...start, ...edits };
    // At once: whoever leaves now does not lose what was typed last.
    if (key !== null) store(key, differences(start, kept(value)));
    show();
  };
  return {
    get: () => value,
    set: typed => edit(differences(start, typed)),
    reset: () => edit({}),
    forget: () => {
      if (key !== null) writeDraft(key, {});
    },
    follow: (nextKey, nextStart) => {
      if (nextKey === key && nextStart === start) return;
      edits = nextKey === key ? differences(nextStart, { ...nextStart, ...edits }) : stored(nextKey, nextStart);
      [key, start] = [nextKey, nextStart];
      value = { ...start, ...edits };
    },
  };
}

function store<Value extends object>(key: string, edits: Partial<Value>): void {
  writeDraft(key, Object.keys(edits).length === 0 ? {} : { value: JSON.stringify(edits) });
}

function stored<Value extends object>(key: string | null, start: Value): Partial<Value> {
  if (key === null) return {};
  try {
    return differences(start, fitted(start, JSON.parse(readDraft(key).value ?? '{}')));
  } catch {
    return {};
  }
}

function differences<Value extends object>(start: Value, value: Value): Partial<Value> {
  const changed = Object.entries(value).filter(
    ([name, member]) => JSON.stringify(member) !== JSON.stringify(Reflect.get(start, name)),
  );
  return Object.fromEntries(changed) as Partial<Value>;
}

/** The value with what fits of the stored one: another version of this page may have written that. */
function fitted<Value extends object>(value: Value, found: object): Value {
  const members = Object.entries(value).map(([name, usual]) => {
    const member: unknown = Reflect.get(found, name);
    return [name, member !== undefined && fits(usual, member) ? merged(usual, member) : usual];
  });
  return Object.fromEntries(members) as Value;
}

function fits(usual: unknown, member: unknown): boolean {
  return usual === undefined || (typeof usual === typeof member && Array.isArray(usual) === Array.isArray(member));
}

function merged(usual: unknown, member: unknown): unknown {
  return isRecord(usual) && isRecord(member) ? fitted(usual, member) : member;
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
