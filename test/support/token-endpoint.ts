import type { TestCertificate } from './certificate.ts';
import { type Behaviour, startTarget } from './target.ts';

/** A token endpoint on loopback that gives `token-1-…`, `token-2-…`, each longer than what is no secret. */
export async function startTokenEndpoint(fields: object = {}, certificate?: TestCertificate) {
  let given = 0;
  const give: Behaviour = (_request, response) =>
    response.end(JSON.stringify({ access_token: tokenOf(++given), token_type: 'Bearer', expires_in: 600, ...fields }));
  return startTarget(give, certificate);
}

/** The token that an endpoint gives at this request. */
export function tokenOf(request: number): string {
  return `token-${request}-of/the+endpoint=`;
}
