import type { ExecutionContext } from 'ava';
import type { BrowserContext } from 'playwright-core';
import { admin } from './admin.ts';
import { type Api, apiOf, type Reply, testSecretKey } from './control-plane.ts';

/** Somebody who is signed in: calls with their session, in the project that is named. */
export type SignedIn = {
  id: string;
  headers: Record<string, string>;
  /** A call in a project, or outside of all with null. */
  call(projectId: string | null, method: Parameters<Api>[0], path: string, body?: unknown): Promise<Reply>;
};

/** Makes a person by the operator's command and signs in by the link that it prints. */
export async function personOf(
  t: ExecutionContext,
  databaseUrl: string,
  url: string,
  options: { name: string; email?: string; operator?: boolean; project?: string; role?: string },
): Promise<SignedIn> {
  const { name, email, operator, project, role } = options;
  const made = (await admin(
    databaseUrl,
    [
      ...['person', 'create', '--name', name],
      ...(email === undefined ? [] : ['--email', email]),
      ...(operator === true ? ['--operator'] : []),
      ...(project === undefined ? [] : ['--project', project, '--role', role ?? 'admin']),
    ],
    { secretsKeys: [testSecretKey] },
  )) as { id: string; url: string };
  return signInBy(t, url, made);
}

/** Signs in by the link that somebody got. */
export async function signInBy(
  t: ExecutionContext,
  url: string,
  { id, url: link }: { id: string; url: string },
): Promise<SignedIn> {
  const from = { 'x-forwarded-for': someAddress() };
  const reply = await apiOf(url, '')('POST', '/auth/links/use', { token: link.split('#')[1] }, from);
  t.is(reply.status, 201, JSON.stringify(reply.body));
  const headers = sessionHeaders(reply);
  const call: SignedIn['call'] = (projectId, method, path, body) =>
    apiOf(url, '')(method, path, body, {
      ...headers,
      ...(projectId === null ? {} : { 'x-project-id': projectId }),
    });
  return { id, headers, call };
}

/** An address of a caller behind a trusted proxy: sign-ins are limited by it. */
export function someAddress(): string {
  return `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 256)).join('.')}`;
}

/** What the requests of a session carry. */
export function sessionHeaders(reply: Reply): Record<string, string> {
  const cookie = String(reply.headers['set-cookie']).split(';')[0] ?? '';
  return { cookie, 'x-csrf-token': reply.body.csrf_token };
}

/** Gives a browser the session of somebody. */
export async function useSession(context: BrowserContext, url: string, { headers }: SignedIn): Promise<void> {
  const [name = '', value = ''] = (headers.cookie ?? '').split('=');
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
}
