import { z } from 'zod';

/** Replaces a value that the token may not read. Sent back, it keeps the stored value. */
export const hiddenValue = '********';
const headersMax = 50;
const valueLengthMax = 8192;

const forbidden = new Set([
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const headersRecord = z.record(z.string(), z.string().max(valueLengthMax)).superRefine((headers, context) => {
  const refuse = (name: string, code: string, message: string) =>
    context.addIssue({ code: 'custom', path: name === '' ? [] : [name], params: { code }, message });
  const names = Object.keys(headers);
  if (names.length > headersMax) refuse('', 'too_long', `must have at most ${headersMax} items`);
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const folded = name.toLowerCase();
    if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/.test(name))
      refuse(name, 'format', 'must have a valid header name (RFC 9110 token)');
    else if (forbidden.has(folded)) refuse(name, 'not_allowed', 'is set by the probe and cannot be changed');
    else if (seen.has(folded)) refuse(name, 'not_allowed', 'appears more than once');
    else if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      refuse(name, 'format', 'must not contain line breaks or control characters');
    seen.add(folded);
  }
});

/** Request headers a monitor may send: RFC 9110 names, no hop-by-hop or framing header, no line break in a value. */
export const headersSchema = z.preprocess((value, context) => {
  // z.record drops this name silently.
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__'))
    context.addIssue({
      code: 'custom',
      path: ['__proto__'],
      params: { code: 'not_allowed' },
      message: 'is not allowed as a header name',
    });
  return value;
}, headersRecord);

/** Headers for a token that may not read the values. */
export function hideValues(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(headers).map(name => [name, hiddenValue]));
}

/** The body for a token that may not read it. */
export function hideBody(body: string | null): string | null {
  return body === null ? null : hiddenValue;
}

/** The body that a change leaves: the stored one for a hidden value; undefined if there is none to keep. */
export function revealBody(given: string | null, stored: string | null): string | null | undefined {
  if (given !== hiddenValue) return given;
  return stored ?? undefined;
}

/** Replaces hidden values with the stored ones, by case-insensitive name; `missing` lists names without one. */
export function revealValues(
  given: Readonly<Record<string, string>>,
  stored: Readonly<Record<string, string>>,
): { headers: Record<string, string>; missing: string[] } {
  const storedByName = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]));
  const missing: string[] = [];
  const headers = Object.entries(given).map(([name, value]): [string, string] => {
    if (value !== hiddenValue) return [name, value];
    const storedValue = storedByName.get(name.toLowerCase());
    if (storedValue === undefined) missing.push(name);
    return [name, storedValue ?? ''];
  });
  return { headers: Object.fromEntries(headers), missing };
}
