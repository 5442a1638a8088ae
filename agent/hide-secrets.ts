import type { AssertionOutcome } from '#shared/assertions/evaluate.ts';

const mark = '[redacted]';
/** Shorter values ("1", "json") are no secrets and would mangle what is shown. */
const secretLengthMin = 6;
const plainNames = new Set(['accept', 'accept-language', 'content-type', 'host', 'user-agent', 'cache-control']);

/** A target may echo what it was sent: values of the request's headers are blacked out in what a result shows. */
export function hideSecrets(
  outcomes: AssertionOutcome[],
  headers: Readonly<Record<string, string>>,
): AssertionOutcome[] {
  const secrets = secretsOf(headers);
  if (secrets.length === 0) return outcomes;
  return outcomes.map(outcome => ({
    ...outcome,
    actual: outcome.actual === null ? null : hideIn(outcome.actual, secrets),
  }));
}

function secretsOf(headers: Readonly<Record<string, string>>): string[] {
  const values = Object.entries(headers).flatMap(([name, value]) =>
    plainNames.has(name.toLowerCase()) ? [] : [value, ...value.split(/[\s;,=]+/)],
  );
  const long = values.filter(value => value.length >= secretLengthMin);
  return [...new Set(long.flatMap(value => [value, JSON.stringify(value).slice(1, -1)]))].toSorted(
    (left, right) => right.length - left.length,
  );
}

function hideIn(text: string, secrets: readonly string[]): string {
  const whole = secrets.reduce((rest, secret) => rest.replaceAll(secret, mark), text);
  return whole.endsWith('…') ? hideCutEnd(whole, secrets) : whole;
}

/** What is shown is cut at a length: the last characters may be the beginning of a secret. */
function hideCutEnd(text: string, secrets: readonly string[]): string {
  const shown = text.slice(0, -1);
  for (const secret of secrets)
    for (let length = Math.min(secret.length, shown.length); length >= 3; length--)
      if (shown.endsWith(secret.slice(0, length))) return `${shown.slice(0, -length)}${mark}…`;
  return text;
}
