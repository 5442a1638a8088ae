import { createHash, createHmac, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

type Claims = Record<string, unknown>;

/** What the provider lies about. */
export type ProviderLies = {
  claims?: Claims;
  alg?: 'RS256' | 'none' | 'HS256';
  /** Signs with a key that it does not publish. */
  strangeKey?: boolean;
  userinfo?: Claims;
};

type Grant = { challenge: string; nonce: string; clientId: string; claims: Claims; lies: ProviderLies };

/** An identity provider that says what a test wants, also what is not true. */
export type IdentityProvider = AsyncDisposable & {
  issuer: string;
  /** Where the browser comes back after somebody with these claims signed in at the address of `start`. */
  signIn(authorizationUrl: string, claims: Claims, lies?: ProviderLies): string;
  /** What it posts when somebody signs out there. */
  logoutToken(claims: Claims, lies?: ProviderLies): string;
  /** From now on nobody is reached. */
  isAway: boolean;
};

const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64url');

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const keys = [0, 1].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }));
  const grants = new Map<string, Grant>();
  const userinfos = new Map<string, Claims>();
  let issuer = '';
  const jwt = (claims: Claims, { alg = 'RS256', strangeKey = false }: ProviderLies) => {
    const text = `${base64(JSON.stringify({ alg, kid: 'k1' }))}.${base64(JSON.stringify(claims))}`;
    if (alg === 'none') return `${text}.`;
    if (alg === 'HS256') return `${text}.${createHmac('sha256', 'secret').update(text).digest('base64url')}`;
    const key = keys[strangeKey ? 1 : 0]?.privateKey ?? '';
    return `${text}.${createSign('sha256').update(text).sign(key, 'base64url')}`;
  };
  const token = async (request: IncomingMessage): Promise<[number, unknown]> => {
    const body = new URLSearchParams(await textOf(request));
    const grant = grants.get(body.get('code') ?? '');
    grants.delete(body.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant === undefined || grant.challenge !== challenge) return [400, { error: 'invalid_grant' }];
    const seconds = Math.floor(Date.now() / 1000);
    const common = { iss: issuer, aud: grant.clientId, iat: seconds, exp: seconds + 300, nonce: grant.nonce };
    const claims = { ...common, ...grant.claims, ...grant.lies.claims };
    const access = randomUUID();
    userinfos.set(access, grant.lies.userinfo ?? { sub: grant.claims.sub });
    return [200, { access_token: access, token_type: 'Bearer', id_token: jwt(claims, grant.lies) }];
  };
  const answerTo = async (request: IncomingMessage): Promise<[number, unknown]> => {
    switch (request.url?.split('?')[0]) {
      case '/.well-known/openid-configuration':
        return [200, metadataOf(issuer)];
      case '/jwks':
        return [200, { keys: [{ ...keys[0]?.publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig' }] }];
      case '/token':
        return token(request);
      case '/userinfo':
        return [200, userinfos.get(String(request.headers.authorization).slice('Bearer '.length)) ?? {}];
      default:
        return [404, {}];
    }
  };
  const provider: IdentityProvider = {
    issuer,
    isAway: false,
    signIn: (authorizationUrl, claims, lies = {}) => {
      const { searchParams } = new URL(authorizationUrl);
      const asked = (name: string) => searchParams.get(name) ?? '';
      const code = randomUUID();
      const nonce = asked('nonce');
      grants.set(code, { challenge: asked('code_challenge'), nonce, clientId: asked('client_id'), claims, lies });
      const back = new URL(asked('redirect_uri'));
      return `${back.pathname}?${new URLSearchParams({ code, state: asked('state'), iss: issuer })}`;
    },
    logoutToken: (claims, lies = {}) => {
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      const iat = Math.floor(Date.now() / 1000);
      return jwt({ iss: issuer, aud: 'up', iat, exp: iat + 120, jti: randomUUID(), events, ...claims }, lies);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
  const server = createServer((request, response) => {
    if (provider.isAway) return void request.socket.destroy();
    void answerTo(request).then(([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  provider.issuer = issuer;
  return provider;
}

function metadataOf(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    end_session_endpoint: `${issuer}/logout?x=1`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += String(part);
  return text;
}
