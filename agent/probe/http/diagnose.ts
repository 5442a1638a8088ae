import type { Diagnosis } from '#shared/checks/diagnosis.ts';

/**
 * What is known of the last answer. `urls`: those that were requested, in order; more than one if a redirect was
 * followed. `header`: the first value of a field. `body`: its beginning, empty where it was not read.
 */
export type Answer = {
  statusCode: number;
  urls: readonly URL[];
  header: (name: string) => string | undefined;
  body: string;
};

type Row = (answer: Answer) => Diagnosis | null;

const certain = (kind: Diagnosis['kind'], provider: string): Diagnosis => ({ kind, provider, confidence: 'certain' });
const likely = (kind: Diagnosis['kind'], provider: string | null): Diagnosis => ({
  kind,
  provider,
  confidence: 'likely',
});

const words = (text: string | undefined): string => (text ?? '').trim().toLowerCase();
const signOnHosts = new Set(['login.microsoftonline.com', 'accounts.google.com']);
const signOnDomain = /\.(?:okta|auth0|onelogin)\.com$/;
/** A tag is looked at in its first part: what never ends costs no more. */
const passwordField = /<input\b(?=[^<>]{0,1024}?\btype\s{0,8}=\s{0,8}["']?password\b)/i;
const incapsula = /incapsula incident|_incapsula_resource/i;
/** Written as entities by Akamai’s own pages. */
const akamaiReference = /Reference(?: |&#32;)(?:#|&#35;)/i;

// The first row that fits is the diagnosis. A row that changes raises `diagnosisRules`.
const rows: readonly Row[] = [
  ({ header }) => (words(header('cf-mitigated')) === 'challenge' ? certain('challenge', 'cloudflare') : null),
  ({ header }) => (words(header('x-vercel-mitigated')) === 'challenge' ? certain('challenge', 'vercel') : null),
  ({ header }) =>
    ['challenge', 'captcha'].includes(words(header('x-amzn-waf-action'))) ? certain('challenge', 'aws_waf') : null,
  ({ statusCode: code, header }) => (words(header('server')) === 'cloudflare' ? ofCloudflare(code) : null),
  ({ header }) => (header('x-sucuri-block') === undefined ? null : certain('blocked', 'sucuri')),
  // Imperva adds a script of that name to good pages as well.
  ({ statusCode, body }) => (isRefusal(statusCode) && incapsula.test(body) ? certain('blocked', 'imperva') : null),
  ({ statusCode, header }) =>
    statusCode === 403 && (header('x-datadome') ?? header('x-dd-b')) !== undefined
      ? certain('blocked', 'datadome')
      : null,
  ({ statusCode, header, body }) => {
    if (statusCode !== 403 || words(header('server')) !== 'akamaighost') return null;
    return akamaiReference.test(body) ? certain('blocked', 'akamai') : likely('blocked', 'akamai');
  },
  ({ statusCode, header }) => (words(header('x-cache')) === 'error from cloudfront' ? ofCloudfront(statusCode) : null),
  ({ urls }) => signOnOf(urls),
  ({ urls, header, body }) =>
    isHtml(header) && isElsewhere(urls) && passwordField.test(body) ? likely('login', null) : null,
  ({ statusCode }) => (statusCode === 429 ? likely('rate_limited', null) : null),
];

/** Pure: what answered in place of the target, as far as that shows. */
export function diagnose(answer: Answer): Diagnosis | null {
  for (const row of rows) {
    const found = row(answer);
    if (found !== null) return found;
  }
  return null;
}

/** Pure: whether the body can say more than the head of the answer. */
export function needsBody({ statusCode, urls, header }: Omit<Answer, 'body'>): boolean {
  return isRefusal(statusCode) || (urls.length > 1 && isHtml(header));
}

function isRefusal(code: number): boolean {
  return code >= 500 || [202, 401, 403, 405, 429].includes(code);
}

function ofCloudflare(code: number): Diagnosis | null {
  if ((code >= 520 && code <= 526) || code === 530) return certain('origin_unreachable', 'cloudflare');
  if (code === 403) return likely('blocked', 'cloudflare');
  return code === 429 ? likely('rate_limited', 'cloudflare') : null;
}

function ofCloudfront(code: number): Diagnosis | null {
  if (code === 403) return likely('blocked', 'cloudfront');
  return code >= 502 && code <= 504 ? likely('origin_unreachable', 'cloudfront') : null;
}

/** The provider is the word before `.com`. A monitor of the sign-on itself is at home there. */
function signOnOf([first, ...followed]: readonly URL[]): Diagnosis | null {
  const isSignOn = (host: string) => signOnHosts.has(host) || signOnDomain.test(host);
  const met = followed.find(({ hostname }) => hostname !== first?.hostname && isSignOn(hostname));
  return met === undefined ? null : certain('login', met.hostname.split('.').at(-2) ?? '');
}

function isElsewhere(urls: readonly URL[]): boolean {
  return urls.length > 1 && urls[0]?.pathname !== urls.at(-1)?.pathname;
}

function isHtml(header: Answer['header']): boolean {
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(header('content-type') ?? '');
}
