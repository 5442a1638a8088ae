import { type SignedIn, send } from './session.ts';

/** What a link is for. */
export type Looked =
  | { type: 'sign_in'; name: string }
  | ({ type: 'invitation'; project: string; role: string; invited_by: string } & Ways);

type Ways = {
  methods: readonly string[];
  /** The address that the link proves, because it was emailed there; null for a link that was handed over. */
  email: string | null;
};

/** The secret of a link, which is in its fragment alone; null where there is none. */
export function secretOf(fragment: string): string | null {
  return /^#(upi_\w{1,100})$/.exec(fragment)?.[1] ?? null;
}

/** Changes nothing. Throws ApiProblem, `link_expired` for a link that is used, expired or unknown. */
export async function lookAt(secret: string): Promise<Looked> {
  return (await send('POST', '/auth/invitations/look', { token: secret })) as Looked;
}

/** Signs in, once. */
export async function signInByLink(secret: string): Promise<void> {
  await send('POST', '/auth/links/use', { token: secret });
}

/** Joins as who is signed in; resolves to the project. */
export async function acceptInvitation(secret: string, { csrf_token }: Pick<SignedIn, 'csrf_token'>): Promise<string> {
  const joined = await send('POST', '/auth/invitations/accept', { token: secret }, { 'X-CSRF-Token': csrf_token });
  return (joined as { project_id: string }).project_id;
}
