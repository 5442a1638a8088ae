import type { AssertionOutcome } from '#shared/assertions/evaluate.ts';
import { indexSecrets, isBeginning, joinSpans, type SecretIndex, type Span, spansOf } from './secret-index.ts';

const placeholder = '[redacted]';
/** Shorter values such as "1" or "json" are not secrets, and redacting them would make results unreadable. */
const secretLengthMin = 6;
/** Shorter beginnings of a secret may be left where a text was cut. */
const beginningLengthMin = 3;
const publicNames = new Set(['accept', 'accept-language', 'content-type', 'host', 'user-agent', 'cache-control']);

/** Redacts the values of the request's headers, query and body in `actual`: a target may echo what it was sent. */
export function redactSecrets(
  outcomes: AssertionOutcome[],
  headers: Readonly<Record<string, string>>,
  sent: { url: string; body: string | null } = { url: '', body: null },
): AssertionOutcome[] {
  const secrets = secretsOf(headers, [...valuesOfQuery(sent.url), ...valuesOfBody(sent.body ?? '')]);
  if (secrets.longest === 0) return outcomes;
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
  return (text, max) => {
    // A value that begins before the end of what is taken is looked at as a whole.
    const taken = text.slice(0, max + secrets.longest);
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

/** All values of a JSON document, however deep. */
function textsIn(document: unknown): string[] {
  const texts: string[] = [];
  const open = [document];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object') texts.push(String(value));
    else if (value !== null) for (const item of Object.values(value)) open.push(item);
  }
  return texts;
}

function secretsOf(headers: Readonly<Record<string, string>>, others: readonly string[]): SecretIndex {
  const values = Object.entries(headers).flatMap(([name, value]) =>
    publicNames.has(name.toLowerCase()) ? [] : [value, ...value.split(/[\s;,=]+/)],
  );
  const longValues = [...values, ...others].filter(value => value.length >= secretLengthMin);
  return indexSecrets(longValues.flatMap(value => [value, JSON.stringify(value).slice(1, -1)]));
}

function redactText(text: string, secrets: SecretIndex): string {
  const cutOff = text.endsWith('…') ? beginningAtEnd(text.slice(0, -1), secrets) : [];
  let [redacted, shown] = ['', 0];
  for (const { start, end } of joinSpans([...spansOf(text, secrets), ...cutOff])) {
    redacted += text.slice(shown, start) + placeholder;
    shown = end;
  }
  return redacted + text.slice(shown);
}

/** `actual` is cut at a maximum length, so its last characters may be the beginning of a secret. */
function beginningAtEnd(text: string, secrets: SecretIndex): Span[] {
  // A character that was cut in its middle has become U+FFFD.
  const end = text.endsWith('\uFFFD') ? text.length - 1 : text.length;
  for (let start = Math.max(0, end - secrets.longest); start <= end - beginningLengthMin; start++)
    if (isBeginning(text.slice(start, end), secrets)) return [{ start, end }];
  return [];
}
