import { hiddenValue } from '../../monitoring/monitors/secrets/hidden.ts';

/** Pure: an item with `{$env: NAME}` in place of what is hidden. `used` are the names so far; new ones are added. */
export function withPlaceholders(value: unknown, path: readonly string[], used: Set<string>): unknown {
  if (value === hiddenValue) return { $env: freeName(path, used) };
  if (Array.isArray(value)) return value.map((item, index) => withPlaceholders(item, [...path, String(index)], used));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, withPlaceholders(item, [...path, name], used)]),
  );
}

function freeName(path: readonly string[], used: Set<string>): string {
  const wanted = path
    .join('_')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .slice(0, 90);
  let name = wanted;
  for (let number = 2; used.has(name); number++) name = `${wanted}_${number}`;
  used.add(name);
  return name;
}
