import { toTimestamp } from '#shared/clock.ts';
import { incidentUrl } from '../incidents/incident.ts';
import type { News } from './news-store.ts';

/** What a subscriber's webhook is told: what the public page shows, and no more. */
export function publicNews({ page, incident, update }: News, baseUrl: string) {
  return {
    type: 'incident.updated',
    timestamp: toTimestamp(update.postedAt),
    data: {
      status_page: { id: page.id, name: page.name, url: `${baseUrl}/status/${page.slug}` },
      incident: {
        id: incident.id,
        title: incident.title,
        impact: incident.impact,
        components: incident.components,
        started_at: toTimestamp(incident.startedAt),
        resolved_at: incident.resolvedAt === null ? null : toTimestamp(incident.resolvedAt),
        url: incidentUrl(baseUrl, page.slug, incident.id),
      },
      update: {
        id: update.id,
        state: update.state,
        body: update.body,
        posted_at: toTimestamp(update.postedAt),
      },
    },
  };
}
