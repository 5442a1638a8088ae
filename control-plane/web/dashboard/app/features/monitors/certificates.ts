import type { CheckResult, Monitor } from '../../session/api-types.ts';

type Tls = NonNullable<CheckResult['tls']>;

const secure: Partial<Record<Monitor['kind'], RegExp>> = {
  http: /^https:/i,
  websocket: /^wss:/i,
  grpc: /^grpcs:/i,
  tls: /^tls:/i,
  // Any step may come to one.
  multistep: /^/,
};

/** Whether checks of the monitor come to a certificate. */
export function seesCertificates({ kind, url }: Pick<Monitor, 'kind' | 'url'>): boolean {
  return secure[kind]?.test(url) === true;
}

/** The certificate that ends first of those that the latest checks saw; null if none saw one. */
export function earliestCertificate(checks: readonly Pick<CheckResult, 'region' | 'tls'>[]): Tls | null {
  const newest = new Map<string, Tls>();
  // Newest first.
  for (const { region, tls } of checks) if (tls !== null && !newest.has(region)) newest.set(region, tls);
  return [...newest.values()].reduce<Tls | null>(
    (first, tls) => (first === null || endOf(tls) < endOf(first) ? tls : first),
    null,
  );
}

function endOf({ valid_to }: Tls): number {
  return Date.parse(valid_to);
}

const dayMs = 86_400_000;

/** `ends in 43 days`, `ended 2 days ago`. */
export function describeEnd({ valid_to }: Pick<Tls, 'valid_to'>, nowMs: number): string {
  const days = Math.floor(Math.abs(Date.parse(valid_to) - nowMs) / dayMs);
  const text = days === 0 ? 'less than a day' : days === 1 ? '1 day' : `${days} days`;
  return Date.parse(valid_to) > nowMs ? `ends in ${text}` : `ended ${text} ago`;
}
