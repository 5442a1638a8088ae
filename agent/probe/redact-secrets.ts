import type { AssertionOutcome } from '#shared/assertions/evaluate.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import { secretsOfAuth } from './auth/token-request.ts';
import { secretsOfProxy } from './proxy/proxy.ts';
import { formsOf } from './redaction/secret-forms.ts';
import {
  indexSecrets,
  joinSpans,
  type SecretIndex,
  type Span,
  secretLengthMin,
  spansOf,
  startOfBeginning,
} from './secret-index.ts';

/** What a target gets, and may echo. */
export type SentRequest = Pick<Assignment, 'url' | 'headers' | 'body'> &
  Partial<Pick<Assignment, 'check' | 'secrets' | 'egress' | 'auth'>>;

const placeholder = '[redacted]';
const publicNames = new Set(['accept', 'accept-language', 'content-type', 'host', 'user-agent', 'cache-control']);

/**
 * Redacts the values of the request's headers, query and body in `actual`: a target may echo what it was sent. They are
 * asked for only if there is a text that may contain one; null hides such texts as a whole.
 */
export function redactSecrets(
  outcomes: AssertionOutcome[],
  secretsOfRequest: () => SecretIndex | null,
): AssertionOutcome[] {
  if (!outcomes.some(outcome => mayShowSecret(outcome.actual))) return outcomes;
  const secrets = secretsOfRequest();
  return outcomes.map(outcome =>
    mayShowSecret(outcome.actual) ? { ...outcome, actual: redactText(outcome.actual, secrets) } : outcome,
  );
}

function mayShowSecret(text: string | null): text is string {
  return text !== null && (text.length >= secretLengthMin || text.endsWith('…'));
}

/** Takes the beginning of a text, of about `max` characters, and redacts the same values in it. */
export type TakeRedacted = (text: string, max: number) => string;

/** Redacts what a request contained from texts of its response. */
export function redactorOf(secretsOfRequest: () => SecretIndex | null): TakeRedacted {
  return (text, max) => {
    const secrets = secretsOfRequest();
    // A value that begins before the end of what is taken is looked at as a whole.
    const taken = text.slice(0, max + (secrets?.longest ?? 0));
    return (taken === text ? redactText(text, secrets) : redactText(`${taken}…`, secrets).slice(0, -1)).slice(0, max);
  };
}

/** Indexes the values of a request's headers, query and body, which takes some 10 ms for the largest (measured). */
export function secretsOf(request: SentRequest): SecretIndex {
  return indexValues(valuesOf(request), hiddenTexts(request));
}

/**
 * What is looked for in every form: secrets of the project, what signs the request in, and how a proxy or a token
 * endpoint is signed in at.
 */
export function hiddenTexts({
  headers = {},
  secrets = [],
  egress,
  auth,
  check,
}: Partial<Pick<SentRequest, 'headers' | 'secrets' | 'egress' | 'auth' | 'check'>>): string[] {
  const ofSteps = check?.kind === 'multistep' ? check.steps.map(step => step.auth) : [];
  const ofWays = [...secretsOfProxy(egress?.proxy), ...[auth, ...ofSteps].flatMap(secretsOfAuth)];
  return [...secrets, ...credentialsOf(headers), ...ofWays];
}

/** The same of several requests, and of values that their answers gave, in all forms that an answer may repeat. */
export function secretsOfRun(sent: readonly SentRequest[], values: readonly string[]): SecretIndex {
  return indexValues(
    sent.flatMap(valuesOf),
    [
      ...values.flatMap(value => [value, ...partsOf(value)]),
      ...sent.flatMap(({ headers }) => credentialsOf(headers)),
    ].filter(value => value.length >= secretLengthMin),
  );
}

/** What signs a request in: a target takes it out of the header, and may quote the password or the token alone. */
function credentialsOf(headers: SentRequest['headers']): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (name.toLowerCase() !== 'authorization') return [];
    const [, scheme = '', credentials = ''] = /^(Basic|Bearer) +(\S+)$/i.exec(value) ?? [];
    if (scheme.toLowerCase() !== 'basic') return [credentials];
    const pair = Buffer.from(credentials, 'base64').toString();
    return pair.includes(':') ? [pair.slice(pair.indexOf(':') + 1)] : [];
  });
}

/** `hidden`: what is looked for in every form. */
function indexValues(values: readonly string[], hidden: readonly string[]): SecretIndex {
  const longValues = values.filter(value => value.length >= secretLengthMin);
  const forms = hidden.flatMap(formsOf).filter(form => form.length >= secretLengthMin);
  return indexSecrets([...longValues.flatMap(value => [value, JSON.stringify(value).slice(1, -1)]), ...forms]);
}

/** Of a header, such as a cookie's. */
function partsOf(value: string): string[] {
  return value.split(/[\s;,=]+/);
}

function valuesOf({ headers, url, body, check }: SentRequest): string[] {
  const values = Object.entries(headers).flatMap(([name, value]) =>
    publicNames.has(name.toLowerCase()) ? [] : [value, ...partsOf(value)],
  );
  const sent = check !== undefined && 'send' in check ? (check.send ?? '') : '';
  return [...values, ...valuesOfQuery(url), ...valuesOfBody(body ?? ''), ...valuesOfBody(sent)];
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

function redactText(text: string, secrets: SecretIndex | null): string {
  if (secrets === null) return placeholder;
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
  const start = startOfBeginning(text.slice(0, end), secrets);
  return start < 0 ? [] : [{ start, end }];
}
