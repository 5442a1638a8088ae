import type { ConfigType } from '#shared/config-types.ts';
import type { Body, Reference } from './kind.ts';

/** What a key of the documents stands for: an id, null if nothing has it, undefined if its own item is not valid. */
export type Resolve = (type: ConfigType, key: string) => string | null | undefined;

export type Resolved = { body: Body; errors: readonly ReferenceError[]; blocked: boolean };
type ReferenceError = { pointer: string; code: 'unknown_reference' | 'not_allowed'; detail: string };

const idPattern = /^[a-z]{2,5}_[a-z0-9]{26}$/i;

/** Pure: a body of the API from an item of documents: keys become ids, and members the ones that the API has. */
export function resolveReferences(item: Body, references: readonly Reference[], resolve: Resolve): Resolved {
  const errors: ReferenceError[] = [];
  let blocked = false;
  const body = mapLists(
    item,
    references,
    'name',
    'field',
    (values, { type }, pointer) => {
      const idOf = (value: unknown, at: string): unknown => {
        if (typeof value !== 'string') return value;
        const id = resolve(type, value);
        if (id === undefined) blocked = true;
        if (id !== null) return id ?? '';
        if (idPattern.test(value)) return value;
        const detail = `is no key of ${type.replaceAll('_', ' ')} in the documents; others are named by their ID`;
        errors.push({ pointer: at, code: 'unknown_reference', detail });
        return value;
      };
      return Array.isArray(values)
        ? values.map((value: unknown, index) => idOf(value, `${pointer}/${index}`))
        : idOf(values, pointer);
    },
    ({ name, field }, within) => {
      errors.push({ pointer: `${within}/${field}`, code: 'not_allowed', detail: `is \`${name}\` in documents` });
    },
  );
  return { body, errors, blocked };
}

/** Pure: the reverse, for an export: ids that have a key become keys. */
export function nameReferences(body: Body, references: readonly Reference[], keyOf: (id: string) => string): Body {
  return mapLists(body, references, 'field', 'name', values => {
    if (Array.isArray(values)) return values.map(value => keyOf(String(value)));
    return typeof values === 'string' ? keyOf(values) : values;
  });
}

/** Pure: a pointer into a body of the API as one into the item it was made from. */
export function itemPointer(pointer: string, references: readonly Reference[], item: unknown): string {
  const steps = pointer.split('/').slice(1);
  if (has(item, steps)) return pointer;
  for (const { within, name, field } of references) {
    const fits = within.every((step, index) => step === '*' || step === steps[index]) && steps[within.length] === field;
    if (fits) return `/${steps.with(within.length, name).join('/')}`;
  }
  return pointer;
}

function has(item: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return true;
  if (typeof item !== 'object' || item === null || !Object.hasOwn(item, step)) return false;
  return has((item as Record<string, unknown>)[step], rest);
}

type Change = (values: unknown, reference: Reference, pointer: string) => unknown;

function mapLists(
  body: Body,
  references: readonly Reference[],
  from: 'name' | 'field',
  to: 'name' | 'field',
  change: Change,
  meetTarget?: (reference: Reference, within: string) => void,
): Body {
  let mapped: unknown = body;
  for (const reference of references) mapped = within(mapped, reference.within, '', reference);
  return mapped as Body;

  function within(value: unknown, path: readonly string[], pointer: string, reference: Reference): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const [step, ...rest] = path;
    if (step === '*')
      return Array.isArray(value)
        ? value.map((item, index) => within(item, rest, `${pointer}/${index}`, reference))
        : value;
    const object = value as Record<string, unknown>;
    if (step !== undefined)
      return Object.hasOwn(object, step)
        ? { ...object, [step]: within(object[step], rest, `${pointer}/${step}`, reference) }
        : value;
    if (Object.hasOwn(object, reference[to])) meetTarget?.(reference, pointer);
    if (!Object.hasOwn(object, reference[from])) return value;
    const { [reference[from]]: values, ...others } = object;
    return { ...others, [reference[to]]: change(values, reference, `${pointer}/${reference[from]}`) };
  }
}
