import type { Keyring } from '../../../platform/secrets/keyring.ts';
import type { Oauth2Settings } from '../auth/oauth2.ts';
import type { MultistepSettings } from '../kinds/steps.ts';

/** The secret part of a monitor's settings, in clear. What monitors of other kinds send is sealed as these are. */
export type MonitorSecrets = {
  headers: Record<string, string>;
  body: string | null;
  tcp?: { send: string | null } | null | undefined;
  grpc?: { metadata: Record<string, string> } | null | undefined;
  websocket?: { send: string | null } | null | undefined;
  heartbeat?: { aliases: string[] } | null | undefined;
  multistep?: MultistepSettings | null | undefined;
  /** Private key of the client certificate. */
  privateKey?: string | null;
  /** Password at the proxy, if there is a proxy. */
  proxy?: { password: string | null } | null;
  /** Password or token of `auth`. */
  authSecret?: string | null;
  /** Client credentials of `auth`. */
  oauth2?: Oauth2Settings | null;
  /** `auth` of steps, as one text. */
  stepAuth?: string | null;
};

/** Header values and body in clear. Throws if no key of the ring fits. */
export function openSecrets(
  row: {
    id: string;
    sealed_headers: Uint8Array;
    sealed_body: Uint8Array | null;
    sealed_egress?: Uint8Array | null;
    sealed_proxy?: Uint8Array | null;
    sealed_auth?: Uint8Array | null;
    sealed_oauth2?: Uint8Array | null;
    sealed_step_auth?: Uint8Array | null;
  },
  keyring: Keyring,
): MonitorSecrets {
  return {
    headers: JSON.parse(keyring.open(row.sealed_headers, headersContext(row.id))) as Record<string, string>,
    body: row.sealed_body === null ? null : keyring.open(row.sealed_body, bodyContext(row.id)),
    authSecret: row.sealed_auth == null ? null : keyring.open(row.sealed_auth, authContext(row.id)),
    oauth2:
      row.sealed_oauth2 == null
        ? null
        : (JSON.parse(keyring.open(row.sealed_oauth2, oauth2Context(row.id))) as Oauth2Settings),
    stepAuth: row.sealed_step_auth == null ? null : keyring.open(row.sealed_step_auth, stepAuthContext(row.id)),
    privateKey: row.sealed_egress == null ? null : keyring.open(row.sealed_egress, egressContext(row.id)),
    proxy:
      row.sealed_proxy == null
        ? null
        : (JSON.parse(keyring.open(row.sealed_proxy, proxyContext(row.id))) as MonitorSecrets['proxy'] & object),
  };
}

/** Seals header values and body with the first key of the ring, for this monitor only. */
export function sealSecrets(
  monitorId: string,
  { headers, body, privateKey = null, proxy = null, authSecret = null, oauth2 = null, stepAuth = null }: MonitorSecrets,
  keyring: Keyring,
): Record<'headers', Uint8Array> &
  Record<'body' | 'egress' | 'proxy' | 'auth' | 'oauth2' | 'stepAuth', Uint8Array | null> {
  return {
    headers: keyring.seal(JSON.stringify(headers), headersContext(monitorId)),
    body: body === null ? null : keyring.seal(body, bodyContext(monitorId)),
    oauth2: oauth2 === null ? null : keyring.seal(JSON.stringify(oauth2), oauth2Context(monitorId)),
    stepAuth: stepAuth === null ? null : keyring.seal(stepAuth, stepAuthContext(monitorId)),
    auth: authSecret === null ? null : keyring.seal(authSecret, authContext(monitorId)),
    egress: privateKey === null ? null : keyring.seal(privateKey, egressContext(monitorId)),
    proxy: proxy === null ? null : keyring.seal(JSON.stringify(proxy), proxyContext(monitorId)),
  };
}

function headersContext(id: string): string {
  return `monitor ${id} headers`;
}

function authContext(id: string): string {
  return `monitor ${id} auth`;
}

function oauth2Context(id: string): string {
  return `monitor ${id} oauth2`;
}

function stepAuthContext(id: string): string {
  return `monitor ${id} auth of steps`;
}

function egressContext(id: string): string {
  return `monitor ${id} egress`;
}

function proxyContext(id: string): string {
  return `monitor ${id} proxy`;
}

function bodyContext(id: string): string {
  return `monitor ${id} body`;
}
