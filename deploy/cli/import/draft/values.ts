import type { EnvReference, Item } from '../imported.ts';

// Sources are files of other people: each value may be of any type.

/** An object; without members for everything else. */
export function objectOf(value: unknown): Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Item) : {};
}

/** The objects of a list; none for everything else. */
export function objectsOf(value: unknown): Item[] {
  return listOf(value).map(objectOf);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text, or a number or boolean as one; empty for everything else. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint' ? String(value) : '';
}

/** A finite number, or a text that is one; null for everything else. */
export function numberOf(value: unknown): number | null {
  const text = textOf(value).trim();
  const number = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : null;
}

/** Databases write booleans as 0 and 1, and some files as text. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === 1n || value === 'true' || value === '1';
}

/** JSON in a text, or the value itself; null if the text is none. */
export function jsonOf(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null;
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
}

/** A text that fits one line of the API: without control characters, not blank, at most so long. */
export function lineOf(value: unknown, max: number, otherwise: string): string {
  const line = textOf(value)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .toWellFormed()
    .trim();
  return (line === '' ? otherwise : line).slice(0, max).toWellFormed().trim();
}

/** Whether a value is a reference to the environment already. */
export function isReference(value: unknown): value is EnvReference {
  const name = objectOf(value).$env;
  return typeof name === 'string' && /^[A-Z][A-Z0-9_]{0,99}$/.test(name) && Object.keys(objectOf(value)).length === 1;
}
