import type { ApiClient } from '#control-plane/web/api-client/client.ts';
import type { Incident, IncidentUpdate } from '../../session/api-types.ts';

/** Resolving has an operation of its own; an update after it is like any other. */
export function postUpdate(
  client: ApiClient,
  incident: Pick<Incident, 'id' | 'state'>,
  state: IncidentUpdate['state'],
  body: string,
): Promise<{ data?: Incident }> {
  const params = { path: { id: incident.id } };
  return state === 'resolved' && incident.state !== 'resolved'
    ? client.POST('/v0/incidents/{id}/resolve', { params, body: { body } })
    : client.POST('/v0/incidents/{id}/updates', { params, body: { state, body } });
}

/** The link that the operator entered: for a hosted text the API returns an address on the incident's own page. */
export function externalUrl({ postmortem_url, url }: Pick<Incident, 'postmortem_url' | 'url'>): string {
  if (postmortem_url === null || postmortem_url.startsWith(`${url}#`)) return '';
  return postmortem_url;
}
