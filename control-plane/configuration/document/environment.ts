import { cleanText } from '../../platform/http/bodies/read-body.ts';
import { pointerTo } from '../../platform/http/bodies/unknown-fields.ts';

const environmentName = /^[A-Z][A-Z0-9_]{0,99}$/;

/** Values of `{$env: NAME}`. They are secrets: no answer has them. */
export type Environment = Readonly<Record<string, string>>;

/** An item with its values filled in, where they stand, in which members, and the names that nobody gave. */
export type Filled = {
  item: unknown;
  members: ReadonlySet<string>;
  pointers: ReadonlySet<string>;
  missing: readonly { pointer: string; name: string }[];
};

/** Pure: fills the values of the environment into an item. */
export function fill(item: Readonly<Record<string, unknown>>, environment: Environment): Filled {
  const members = new Set<string>();
  const pointers = new Set<string>();
  const missing: { pointer: string; name: string }[] = [];
  const walk = (value: unknown, pointer: string, member: string): unknown => {
    const name = nameOf(value);
    if (name !== null) {
      members.add(member);
      pointers.add(pointer);
      if (Object.hasOwn(environment, name)) return cleanText(environment[name] ?? '');
      missing.push({ pointer, name });
      return '';
    }
    if (Array.isArray(value)) return value.map((entry, index) => walk(entry, `${pointer}/${index}`, member));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [key, walk(entry, `${pointer}${pointerTo([key])}`, member || key)]),
    );
  };
  return { item: walk(item, '', ''), members, pointers, missing };
}

/** The name of `{$env: NAME}`; null for every other value. */
function nameOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { $env: name, ...others } = value as Record<string, unknown>;
  const isOne = typeof name === 'string' && environmentName.test(name) && Object.keys(others).length === 0;
  return isOne ? name : null;
}
