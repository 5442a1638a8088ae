/**
 * JSON as the language defines it: libraries such as Prototype.js 1.6 give lists and dates a `toJSON` that makes texts
 * of them. One that an object or its own class has is respected.
 */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value, replaceForeign);
}

/** `this` has the value before its `toJSON`. */
function replaceForeign(this: Record<string, unknown>, key: string, made: unknown): unknown {
  const value = this[key];
  if (value instanceof Date) return Number.isNaN(+value) ? null : value.toISOString();
  const foreign =
    Array.isArray(value) || (value as Partial<Date>)?.toJSON === (Object.prototype as Partial<Date>).toJSON;
  return foreign ? value : made;
}
