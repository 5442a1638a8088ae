import type { Sql } from '../../platform/db/sql.ts';
import { type Finding, fail, ok, warn } from '../../platform/failures/finding.ts';
import { listUnadministered } from '../members/unadministered-store.ts';
import { discover, namedIssuer, ProviderError } from '../oidc/provider.ts';
import type { OidcSettings, SignInSettings } from '../oidc/settings.ts';
import { passkeyPlace } from '../passkeys/place.ts';
import { countPasskeysByHost } from './findings-store.ts';

const shownMax = 5;

/** Runs one step with the rows of all projects. */
type Read = <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>;

/** What there is to say of how people sign in. Asks the identity provider, and changes nothing. */
export async function signInFindings(settings: SignInSettings, baseUrl: string, read: Read): Promise<Finding[]> {
  const host = settings.methods.includes('passkey') ? (passkeyPlace(baseUrl)?.rpId ?? null) : null;
  const passkeys = await read(countPasskeysByHost);
  const unadministered = await read(listUnadministered);
  const provider = settings.oidc === null ? [] : [await providerFinding(settings.oidc)];
  return [methodsFinding(settings), ...provider, passkeysFinding(passkeys, host), adminsFinding(unadministered)];
}

function methodsFinding({ methods }: SignInSettings): Finding {
  const detail = `by ${methods.join(', ')}`;
  return methods.some(method => method !== 'token')
    ? ok('sign-in', detail)
    : warn('sign-in', detail, 'for people, set OIDC_ISSUER, or a PUBLIC_URL with https and a name for passkeys');
}

async function providerFinding(settings: OidcSettings): Promise<Finding> {
  const { issuer } = settings;
  const name = 'identity provider';
  try {
    await discover(settings);
    return ok(name, `${issuer} answers`);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.code === 'provider_unavailable')
      return fail(name, `${issuer} does not answer`, 'see OIDC_ISSUER, and that this machine may connect there');
    const named = await namedIssuer(issuer);
    return named === null
      ? fail(name, `${issuer} does not say who it is`, 'see OIDC_ISSUER')
      : fail(name, `${issuer} calls itself ${named}`, `set OIDC_ISSUER=${named}`);
  }
}

/** Passkeys belong to a host: those of another do not sign in. */
export function passkeysFinding(
  passkeys: readonly { host: string | null; count: number }[],
  host: string | null,
): Finding {
  const countOf = (some: typeof passkeys) => some.reduce((sum, { count }) => sum + count, 0);
  const strange = passkeys.filter(found => found.host !== null && found.host !== host);
  if (strange.length === 0) return ok('passkeys', `${countOf(passkeys)}`);
  const detail = `${countOf(strange)} of ${strange.map(found => found.host).join(', ')}`;
  return host === null
    ? warn('passkeys', `${detail} sign in nobody: there are none here`, 'see PUBLIC_URL and SIGN_IN_METHODS')
    : warn('passkeys', `${detail} sign in nobody at ${host}`, 'their owners add new ones; or see PUBLIC_URL');
}

/** Somebody must be able to invite, and to remove. */
function adminsFinding(unadministered: readonly { id: string; name: string }[]): Finding {
  if (unadministered.length === 0) return ok('admins', 'each project with members has one');
  const list = unadministered.slice(0, shownMax).map(({ id, name }) => `${name} (${id})`);
  const rest = unadministered.length > list.length ? `, and ${unadministered.length - list.length} more` : '';
  return warn(
    'admins',
    `no active one in ${list.join(', ')}${rest}`,
    'an operator joins; or: npm run admin -- member add --project ID --person ID --role admin',
  );
}
