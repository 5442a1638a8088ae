import { type Env, EnvReader } from '#shared/env.ts';
import { errorMessage } from '#shared/error-message.ts';
import { passkeyPlace } from '../passkeys/place.ts';

/** The identity provider. Holds a secret: not for the log. */
export type OidcSettings = {
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  /** Text of the button. */
  name: string;
  scopes: string;
  groupsClaim: string;
  /** Who of these is admitted without an invitation. */
  allowedDomains: readonly string[];
  allowedGroups: readonly string[];
  /** Whether an email without `email_verified` counts as verified. */
  trustEmail: boolean;
  operatorGroups: readonly string[];
};

const settableMethods = ['oidc', 'passkey', 'email', 'token'] as const;
type SettableMethod = (typeof settableMethods)[number];

/** How people sign in. */
export type SignInSettings = {
  methods: readonly SettableMethod[];
  oidc: OidcSettings | null;
  /** Verified emails that make an operator at sign-in. */
  operators: readonly string[];
};

const names = [
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_SECRET',
  'OIDC_NAME',
  'OIDC_SCOPES',
  'OIDC_GROUPS_CLAIM',
  'OIDC_ALLOWED_DOMAINS',
  'OIDC_ALLOWED_GROUPS',
  'OIDC_TRUST_EMAIL',
  'OIDC_OPERATOR_GROUPS',
];
const discoveryPath = '/.well-known/openid-configuration';
const entraForAll = /^https:\/\/login\.microsoftonline\.com\/(common|organizations|consumers)(\/|$)/i;

/** Faults are left with the reader. */
export function readSignInSettings(reader: EnvReader, publicUrl: string): SignInSettings {
  const oidc = readOidc(reader, publicUrl);
  const canHavePasskeys = passkeyPlace(publicUrl) !== null;
  const named = reader.listOf(
    'SIGN_IN_METHODS',
    text => settableMethods.find(method => method === text) ?? null,
    `none of ${settableMethods.join(', ')}`,
  );
  if (named.includes('oidc') && oidc === null) reader.fault('SIGN_IN_METHODS contains oidc, which needs OIDC_ISSUER');
  if (named.includes('passkey') && !canHavePasskeys)
    reader.fault('SIGN_IN_METHODS contains passkey, which needs a PUBLIC_URL with https and a name, or localhost');
  if (named.includes('email') && reader.optional('SMTP_URL') === null)
    reader.fault('SIGN_IN_METHODS contains email, which needs SMTP_URL');
  const possible = settableMethods.filter(
    method => method !== 'email' && (method !== 'oidc' || oidc !== null) && (method !== 'passkey' || canHavePasskeys),
  );
  return {
    methods: Object.freeze(named.length === 0 ? possible : settableMethods.filter(method => named.includes(method))),
    oidc,
    operators: Object.freeze(reader.list('OPERATORS').map(email => email.toLowerCase())),
  };
}

/** The same for `doctor`, which says what is wrong with them. */
export function readSignInOrFault(env: Env, publicUrl: string): SignInSettings | string {
  try {
    const reader = new EnvReader(env);
    const settings = readSignInSettings(reader, publicUrl);
    reader.check();
    return settings;
  } catch (error) {
    return errorMessage(error);
  }
}

function readOidc(reader: EnvReader, publicUrl: string): OidcSettings | null {
  const issuer = reader.optional('OIDC_ISSUER');
  const callback = `register ${publicUrl}/auth/oidc/callback as the redirect address`;
  if (issuer === null) {
    const lonely = names.find(name => reader.optional(name) !== null);
    if (lonely !== undefined) reader.fault(`${lonely} is set, but OIDC_ISSUER is not: set it, and ${callback}`);
    return null;
  }
  const fault = issuerFault(issuer);
  if (fault !== null) reader.fault(`OIDC_ISSUER ${fault}`);
  const clientId = reader.optional('OIDC_CLIENT_ID');
  if (clientId === null) reader.fault(`OIDC_CLIENT_ID is not set: create a client at the provider, and ${callback}`);
  const scopes = reader.text('OIDC_SCOPES', 'openid email profile');
  if (!scopes.split(/\s+/).includes('openid')) reader.fault('OIDC_SCOPES must contain openid');
  const name = reader.text('OIDC_NAME', URL.canParse(issuer) ? new URL(issuer).hostname : issuer);
  if (name.length > 40) reader.fault('OIDC_NAME must have at most 40 characters');
  return Object.freeze({
    issuer,
    clientId: clientId ?? '',
    clientSecret: reader.optional('OIDC_CLIENT_SECRET'),
    name: name.slice(0, 40),
    scopes,
    groupsClaim: reader.text('OIDC_GROUPS_CLAIM', 'groups'),
    allowedDomains: Object.freeze(reader.list('OIDC_ALLOWED_DOMAINS').map(domain => domain.toLowerCase())),
    allowedGroups: Object.freeze(reader.list('OIDC_ALLOWED_GROUPS')),
    trustEmail: reader.flag('OIDC_TRUST_EMAIL', false),
    operatorGroups: Object.freeze(reader.list('OIDC_OPERATOR_GROUPS')),
  });
}

/** What is wrong with an issuer; null if nothing is. */
function issuerFault(issuer: string): string | null {
  if (issuer.endsWith(discoveryPath)) return `must be the issuer alone, without ${discoveryPath}`;
  if (entraForAll.test(issuer))
    return 'must name your tenant, as https://login.microsoftonline.com/<tenant id>/v2.0: one of all tenants proves no email';
  if (!URL.canParse(issuer)) return 'must be a URL such as https://id.example.com/realms/main';
  const { protocol, hostname, search, hash } = new URL(issuer);
  if (search !== '' || hash !== '') return 'must have neither a query nor a fragment';
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback) ? null : 'must begin with https://';
}
