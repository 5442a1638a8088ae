import type { Incident } from './api-types.ts';

/** Resolving has an operation of its own; an update after it is like any other. */
export function updateRequest(
  incident: Pick<Incident, 'id' | 'state'>,
  state: string,
  body: string,
): { path: string; body: Record<string, string> } {
  const path = `/v0/incidents/${incident.id}`;
  return state === 'resolved' && incident.state !== 'resolved'
    ? { path: `${path}/resolve`, body: { body } }
    : { path: `${path}/updates`, body: { state, body } };
}

/** The link that the operator entered: for a hosted text the API returns an address on the incident's own page. */
export function externalUrl({ postmortem_url, url }: Pick<Incident, 'postmortem_url' | 'url'>): string {
  if (postmortem_url === null || postmortem_url.startsWith(`${url}#`)) return '';
  return postmortem_url;
}
