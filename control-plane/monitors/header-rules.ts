import { z } from 'zod';

/** Stands for a value the token may not see; sent back, it keeps the stored one. */
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

const named = z.record(z.string(), z.string().max(valueLengthMax)).superRefine((headers, context) => {
  const refuse = (name: string, code: string, message: string) =>
    context.addIssue({ code: 'custom', path: name === '' ? [] : [name], params: { code }, message });
  const names = Object.keys(headers);
  if (names.length > headersMax) refuse('', 'too_long', `must have at most ${headersMax} items`);
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const folded = name.toLowerCase();
    if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/.test(name))
      refuse(name, 'format', 'must have a name that is an RFC 9110 token');
    else if (forbidden.has(folded)) refuse(name, 'not_allowed', 'is a header that the probe sets itself');
    else if (seen.has(folded)) refuse(name, 'not_allowed', 'is given twice');
    else if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      refuse(name, 'format', 'must have a value without line breaks and control characters');
    seen.add(folded);
  }
});

/** Request headers a monitor may send: RFC 9110 names, no hop-by-hop or framing header, no line break in a value. */
export const headersSchema = z.preprocess((value, context) => {
  // A record would leave this name out without a word.
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__'))
    context.addIssue({
      code: 'custom',
      path: ['__proto__'],
      params: { code: 'not_allowed' },
      message: 'is a name that cannot be sent',
    });
  return value;
}, named);

/** Headers for a token that may not see the values. */
export function hideValues(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(headers).map(name => [name, hiddenValue]));
}

/** Puts stored values in place of hidden ones; `missing` names those that have none. */
export function revealValues(
  given: Readonly<Record<string, string>>,
  stored: Readonly<Record<string, string>>,
): { headers: Record<string, string>; missing: string[] } {
  const known = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]));
  const missing: string[] = [];
  const headers = Object.entries(given).map(([name, value]): [string, string] => {
    if (value !== hiddenValue) return [name, value];
    const kept = known.get(name.toLowerCase());
    if (kept === undefined) missing.push(name);
    return [name, kept ?? ''];
  });
  return { headers: Object.fromEntries(headers), missing };
}
