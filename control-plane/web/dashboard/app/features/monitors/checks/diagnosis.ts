import type { CheckResult } from '../../../session/api-types.ts';

type Diagnosis = NonNullable<CheckResult['diagnosis']>;

const kinds: Readonly<Record<Diagnosis['kind'], string>> = {
  challenge: 'a challenge for browsers',
  blocked: 'a refusal',
  rate_limited: 'a limit of requests',
  origin_unreachable: 'word that it cannot reach the server',
  login: 'a page to sign in',
};

/** `probably a refusal by cloudflare`. */
export function describeAnswerer({ kind, provider, confidence }: Diagnosis): string {
  const what = `${kinds[kind] ?? kind}${provider === null ? '' : ` by ${provider}`}`;
  return confidence === 'certain' ? what : `probably ${what}`;
}

/** What answered in place of the target the last time, with the regions that saw it. `checks` are newest first. */
export function diagnosesOf(checks: readonly Pick<CheckResult, 'region' | 'diagnosis'>[]): string[] {
  const newest = new Map<string, CheckResult['diagnosis']>();
  for (const { region, diagnosis } of checks) if (!newest.has(region)) newest.set(region, diagnosis ?? null);
  const seen = [...newest].flatMap(([region, found]) =>
    found === null ? [] : [{ region, text: describeAnswerer(found) }],
  );
  return [...Map.groupBy(seen, ({ text }) => text)].map(
    ([text, some]) => `What answered: ${text} (${some.map(({ region }) => region).join(', ')}).`,
  );
}
