import { type SignedIn, send } from './session.ts';

/** The way into a status page for members. Throws ApiProblem, `not_a_member` for whoever is none and for no page. */
export async function ticketFor(pageId: string, { csrf_token }: Pick<SignedIn, 'csrf_token'>): Promise<string> {
  const path = `/auth/pages/${encodeURIComponent(pageId)}/ticket`;
  return ((await send('POST', path, {}, { 'X-CSRF-Token': csrf_token })) as { url: string }).url;
}
