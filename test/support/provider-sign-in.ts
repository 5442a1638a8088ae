import type { IdentityProvider, ProviderLies } from './identity-provider.ts';
import { someAddress } from './people.ts';

/** Where a browser was led that came back from the identity provider, and the session that it has since. */
export type CameBack = { location: string; headers: { cookie: string; 'x-csrf-token': string } };

/** Starts at one replica and comes back to another, as somebody with these claims. */
export async function signInByProvider(
  provider: IdentityProvider,
  [from, to]: readonly [string, string],
  claims: Record<string, unknown>,
  { lies = {}, cookie = '' }: { lies?: ProviderLies; cookie?: string } = {},
): Promise<CameBack> {
  const forwarded = { 'x-forwarded-for': someAddress() };
  const started = await fetch(`${from}/auth/oidc/start`, {
    method: 'POST',
    headers: { ...forwarded, 'content-type': 'application/json' },
    body: JSON.stringify({ purpose: 'sign_in' }),
  });
  const { url, code } = (await started.json()) as { url?: string; code?: string };
  if (url === undefined) throw new Error(String(code));
  const cookies = [...cookiesOf(started), cookie].filter(each => each !== '').join('; ');
  const path = provider.signIn(url, claims, lies);
  const back = await fetch(`${to}${path}`, { redirect: 'manual', headers: { ...forwarded, cookie: cookies } });
  await back.body?.cancel();
  const own = cookiesOf(back).find(each => each.startsWith('upquorum=')) ?? '';
  const session = await fetch(`${to}/dashboard/session`, { headers: { cookie: own } });
  const { csrf_token = '' } = (await session.json()) as { csrf_token?: string };
  return { location: back.headers.get('location') ?? '', headers: { cookie: own, 'x-csrf-token': csrf_token } };
}

function cookiesOf(answer: Response): string[] {
  return answer.headers.getSetCookie().map(each => each.split(';')[0] ?? '');
}
