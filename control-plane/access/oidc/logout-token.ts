import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { hourMs, minuteMs, secondMs } from '#shared/duration.ts';
import { boundedFetch, type Provider } from './provider.ts';

const tokenBytesMax = 16_384;
const textMax = 255;
const ageSecondsMax = 120;
const event = 'http://schemas.openid.net/event/backchannel-logout';
/** Never a shared secret, and never none. */
const algorithms = [...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'], ...['ES256', 'ES384', 'ES512', 'EdDSA']];

/** Whose sessions the provider ends: those of one session there, or of an account. */
export type LoggedOut = { issuer: string; sid: string | null; subject: string | null };

/** Reads what the provider posts when somebody signs out there. Null for what it did not say just now. */
export function createLogoutReader(provider: Provider): (token: string, nowMs: number) => Promise<LoggedOut | null> {
  let known: { uri: string; keyOf: JWTVerifyGetKey } | null = null;
  return async (token, nowMs) => {
    if (token.length > tokenBytesMax) return null;
    const { jwks_uri: uri, issuer } = (await provider.configuration()).serverMetadata();
    if (uri === undefined) return null;
    const { createRemoteJWKSet, customFetch, errors, jwtVerify } = await import('jose');
    if (known?.uri !== uri) {
      const times = { timeoutDuration: 10 * secondMs, cooldownDuration: minuteMs, cacheMaxAge: hourMs };
      known = { uri, keyOf: createRemoteJWKSet(new URL(uri), { ...times, [customFetch]: boundedFetch }) };
    }
    try {
      const audience = provider.settings.clientId;
      const wanted = { issuer, audience, algorithms, clockTolerance: 60, currentDate: new Date(nowMs) };
      return loggedOut((await jwtVerify(token, known.keyOf, wanted)).payload, issuer, nowMs);
    } catch (error) {
      if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)) return null;
      throw error;
    }
  };
}

/** Pure: what a token says whose signature, issuer, audience and end are good. */
function loggedOut(payload: JWTPayload, issuer: string, nowMs: number): LoggedOut | null {
  const { iat, events, nonce } = payload;
  const isNow = iat !== undefined && Math.abs(nowMs / 1000 - iat) <= ageSecondsMax;
  const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, event);
  const [sid, subject] = [textOf(payload.sid), textOf(payload.sub)];
  if (!isNow || !isLogout || nonce !== undefined || (sid === null && subject === null)) return null;
  return { issuer, sid, subject };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= textMax ? value : null;
}
