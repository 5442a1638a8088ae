import { toTimestamp } from '#shared/clock.ts';
import type { Impact, IncidentState } from '#shared/vocabulary.ts';
import type { RenderedText } from '../../platform/markup/rendered-text.ts';
import { incidentUrl } from '../../publishing/incidents/incident.ts';
import { pageUrl } from '../../publishing/status-pages/hosts/own-address.ts';
import type { Locale } from '../../publishing/status-pages/locale/language.ts';

/** An incident update with everything its subscribers get to see. */
export type IncidentNotice = {
  /** `rendered` is null until the status page that shows the text was published. */
  update: { id: string; state: IncidentState; body: string; postedAt: number; rendered: RenderedText | null };
  incident: {
    id: string;
    title: string;
    impact: Impact;
    startedAt: number;
    resolvedAt: number | null;
    components: { id: string; name: string }[];
  };
  page: { id: string; name: string; slug: string; domain: string | null; timezone: string; locale: Locale };
};

/** The payload of a subscriber's webhook: what the public page shows, and no more. */
export function noticePayload({ page, incident, update }: IncidentNotice, baseUrl: string) {
  return {
    type: 'incident.updated',
    timestamp: toTimestamp(update.postedAt),
    data: {
      status_page: { id: page.id, name: page.name, url: pageUrl(baseUrl, page) },
      incident: {
        id: incident.id,
        title: incident.title,
        impact: incident.impact,
        components: incident.components,
        started_at: toTimestamp(incident.startedAt),
        resolved_at: incident.resolvedAt === null ? null : toTimestamp(incident.resolvedAt),
        url: incidentUrl(baseUrl, page, incident.id),
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
