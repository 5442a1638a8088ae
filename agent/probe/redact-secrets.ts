import type { AssertionOutcome } from '#shared/assertions/evaluate.ts';

const placeholder = '[redacted]';
/** Shorter values such as "1" or "json" are not secrets, and redacting them would make results unreadable. */
const secretLengthMin = 6;
const publicNames = new Set(['accept', 'accept-language', 'content-type', 'host', 'user-agent', 'cache-control']);

/** Redacts the values of the request's headers, query and body in `actual`: a target may echo what it was sent. */
export function redactSecrets(
  outcomes: AssertionOutcome[],
  headers: Readonly<Record<string, string>>,
  sent: { url: string; body: string | null } = { url: '', body: null },
): AssertionOutcome[] {
  const secrets = secretsOf(headers, [...valuesOfQuery(sent.url), ...valuesOfBody(sent.body ?? '')]);
  if (secrets.length === 0) return outcomes;
  return outcomes.map(outcome => ({
    ...outcome,
    actual: outcome.actual === null ? null : redactText(outcome.actual, secrets),
  }));
}

/** Takes the beginning of a text, of about `max` characters, and redacts the same values in it. */
export type TakeRedacted = (text: string, max: number) => string;

/** Redacts what a request contained from texts of its response. */
export function redactorOf(request: {
  headers: Readonly<Record<string, string>>;
  url: string;
  body: string | null;
}): TakeRedacted {
  const { headers, url, body } = request;
  const secrets = secretsOf(headers, [...valuesOfQuery(url), ...valuesOfBody(body ?? '')]);
  const longest = secrets[0]?.length ?? 0;
  return (text, max) => {
    // A value that begins before the end of what is taken is looked at as a whole.
    const taken = text.slice(0, max + longest);
    return (taken === text ? redactText(text, secrets) : redactText(`${taken}…`, secrets).slice(0, -1)).slice(0, max);
  };
}

function valuesOfQuery(url: string): string[] {
  return url.includes('?') && URL.canParse(url) ? [...new URL(url).searchParams.values()] : [];
}

/** The whole body and its values, of JSON or of a form; their names stay readable. */
function valuesOfBody(body: string): string[] {
  if (body === '') return [];
  try {
    return [body, ...textsIn(JSON.parse(body))];
  } catch {
    return [body, ...new URLSearchParams(body).values()];
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return value === null ? [] : [String(value)];
  return Object.values(value).flatMap(textsIn);
}

function secretsOf(headers: Readonly<Record<string, string>>, others: readonly string[]): string[] {
  const values = Object.entries(headers).flatMap(([name, value]) =>
    publicNames.has(name.toLowerCase()) ? [] : [value, ...value.split(/[\s;,=]+/)],
  );
  const longValues = [...values, ...others].filter(value => value.length >= secretLengthMin);
  return [...new Set(longValues.flatMap(value => [value, JSON.stringify(value).slice(1, -1)]))].toSorted(
    (left, right) => right.length - left.length,
  );
}

function redactText(text: string, secrets: readonly string[]): string {
  const redacted = secrets.reduce((result, secret) => result.replaceAll(secret, placeholder), text);
  return redacted.endsWith('…') ? redactCutEnd(redacted, secrets) : redacted;
}

/** `actual` is cut at a maximum length, so its last characters may be the beginning of a secret. */
function redactCutEnd(text: string, secrets: readonly string[]): string {
  const shown = text.slice(0, -1);
  for (const secret of secrets)
    for (let length = Math.min(secret.length, shown.length); length >= 3; length--)
      if (shown.endsWith(secret.slice(0, length))) return `${shown.slice(0, -length)}${placeholder}…`;
  return text;
}
