import type { Configuration } from 'openid-client';
import type { Clock } from '#shared/clock.ts';
import { dayMs, hourMs, secondMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import type { OidcSettings } from './settings.ts';

const timeoutSeconds = 10;
const answerBytesMax = 1_048_576;
const toleranceSeconds = 60;
const addressMax = 2000;
const freshMs = hourMs;
/** For how long discovery of before is good while the provider is away. */
const staleMs = dayMs;

/** The provider cannot be used now: it does not answer, or it says that it is another one. */
export class ProviderError extends Error {
  override name = 'ProviderError';
  readonly code: 'provider_unavailable' | 'provider_misconfigured';

  constructor(code: ProviderError['code'], cause: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

/** The provider as it describes itself; asked when somebody signs in, never at the start. */
export type Provider = {
  settings: OidcSettings;
  configuration(): Promise<Configuration>;
  /** Where one signs out there; null if it says none, or was not asked yet. */
  logoutUrl(): string | null;
};

export function createProvider(settings: OidcSettings, { clock, log }: { clock: Clock; log: Logger }): Provider {
  let known: { configuration: Configuration; atMs: number } | null = null;
  let asking: Promise<Configuration> | null = null;
  const ask = async (): Promise<Configuration> => {
    const configuration = await discover(settings);
    known = { configuration, atMs: clock.now() };
    return configuration;
  };
  return {
    settings,
    logoutUrl: () => {
      const address = known?.configuration.serverMetadata().end_session_endpoint;
      return address === undefined ? null : logoutAddress(address, settings.clientId);
    },
    configuration: async () => {
      if (known !== null && clock.now() - known.atMs < freshMs) return known.configuration;
      asking ??= ask().finally(() => {
        asking = null;
      });
      try {
        return await asking;
      } catch (error) {
        if (error instanceof ProviderError && error.code === 'provider_misconfigured')
          log.warn({ issuer: settings.issuer }, 'the identity provider names another issuer: correct OIDC_ISSUER');
        if (known !== null && clock.now() - known.atMs < staleMs) return known.configuration;
        throw error;
      }
    },
  };
}

/** Without an ID token to hint at, which nobody keeps: the provider asks who it is. Null for what is no web address. */
function logoutAddress(address: string, clientId: string): string | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  url.searchParams.set('client_id', clientId);
  return /^https?:$/.test(url.protocol) && url.href.length <= addressMax ? url.href : null;
}

/** Who the provider says that it is; null if it says nothing that could be set. */
export async function namedIssuer(issuer: string): Promise<string | null> {
  try {
    const path = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const signal = AbortSignal.timeout(timeoutSeconds * secondMs);
    const { issuer: named } = (await (await boundedFetch(path, { signal })).json()) as { issuer?: unknown };
    return typeof named === 'string' && URL.canParse(named) && !/\s/.test(named) && named.length <= 500 ? named : null;
  } catch {
    return null;
  }
}

/** Asks the provider who it is. Throws ProviderError. */
export async function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<Configuration> {
  const client = await import('openid-client');
  const isPlain = issuer.startsWith('http:');
  const execute = [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])];
  const metadata = { [client.clockTolerance]: toleranceSeconds };
  try {
    const found = await client.discovery(new URL(issuer), clientId, metadata, client.None(), {
      execute,
      timeout: timeoutSeconds,
      [client.customFetch]: boundedFetch,
    });
    const server = found.serverMetadata();
    // The library reads both as URLs, and would let a slash at the end pass.
    if (server.issuer !== issuer) throw new ProviderError('provider_misconfigured', server.issuer);
    if (clientSecret === null) return found;
    const ways = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isPost = !ways.includes('client_secret_basic') && ways.includes('client_secret_post');
    const auth = isPost ? client.ClientSecretPost(clientSecret) : client.ClientSecretBasic(clientSecret);
    const configured = new client.Configuration(server, clientId, metadata, auth);
    for (const change of execute) change(configured);
    configured.timeout = timeoutSeconds;
    configured[client.customFetch] = boundedFetch;
    return configured;
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    const code = (error as { code?: unknown }).code;
    const isOther = typeof code === 'string' && /COMPARISON|INVALID_RESPONSE|JSON_ATTRIBUTE/.test(code);
    throw new ProviderError(isOther ? 'provider_misconfigured' : 'provider_unavailable', error);
  }
}

/** Follows no redirect, and reads no more than a mebibyte. */
export async function boundedFetch(url: string, options: object): Promise<Response> {
  const answer = await fetch(url, { ...options, redirect: 'manual' } as RequestInit);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of answer.body ?? []) {
    size += part.length;
    if (size > answerBytesMax) throw new Error('the answer of the identity provider is too large');
    parts.push(part);
  }
  const { status, headers } = answer;
  return new Response(status === 204 || status === 304 ? null : Buffer.concat(parts), { status, headers });
}
