/** The values of JSON that a text is compared with by tools which compare texts: `1` is the number and the text. */
export function alike(text: string): unknown[] {
  if (text === 'true' || text === 'false') return [text === 'true', text];
  const number = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/.test(text) ? Number(text) : null;
  return number === null || String(number) !== text ? [text] : [number, text];
}

/** An operator and a value for one of these, or for none of them. */
export function equalsAny(values: readonly unknown[], isNegative: boolean): { operator: string; value: unknown } {
  if (values.length === 1) return { operator: isNegative ? 'neq' : 'eq', value: values[0] };
  return { operator: isNegative ? 'not_in' : 'in', value: values };
}
