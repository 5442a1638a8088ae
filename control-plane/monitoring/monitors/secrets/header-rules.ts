import { z } from 'zod';

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

const valueShape = z.string().max(valueLengthMax);
const valueFormat = {
  pattern: /^[\t\x20-\x7e\x80-\xff]*$/,
  message: 'must not contain line breaks or control characters',
};

/** The value of a header. */
export const headerValueSchema = valueShape.regex(valueFormat.pattern, valueFormat.message);

const headersRecord = z.record(z.string(), valueShape).superRefine((headers, context) => {
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
    else if (!valueFormat.pattern.test(value)) refuse(name, 'format', valueFormat.message);
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
