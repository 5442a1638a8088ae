import { toTimestamp } from '#shared/clock.ts';
import type { ShownUpdateState } from '../../monitoring/maintenances/maintenance.ts';
import type { RenderedText } from '../../platform/markup/rendered-text.ts';
import { type Addressed, pageUrl } from '../../publishing/status-pages/hosts/own-address.ts';
import type { Locale } from '../../publishing/status-pages/locale/language.ts';

/** An update of a window with everything that subscribers of one page get to see. */
export type MaintenanceNotice = {
  update: {
    id: string;
    state: ShownUpdateState;
    body: string;
    postedAt: number;
    rendered: RenderedText | null;
  };
  maintenance: {
    /** Of the occurrence. */
    id: string;
    title: string;
    startsAt: number;
    endsAt: number;
    components: { id: string; name: string }[];
  };
  page: { id: string; name: string; slug: string; domain: string | null; timezone: string; locale: Locale };
};

export function maintenanceUrl(baseUrl: string, page: Addressed, id: string): string {
  return `${pageUrl(baseUrl, page)}/maintenances/${id}`;
}

/** The payload of a subscriber's webhook: what the public page shows, and no more. */
export function maintenancePayload({ page, maintenance, update }: MaintenanceNotice, baseUrl: string) {
  return {
    type: 'maintenance.updated',
    timestamp: toTimestamp(update.postedAt),
    data: {
      status_page: { id: page.id, name: page.name, url: pageUrl(baseUrl, page) },
      maintenance: {
        id: maintenance.id,
        title: maintenance.title,
        components: maintenance.components,
        starts_at: toTimestamp(maintenance.startsAt),
        ends_at: toTimestamp(maintenance.endsAt),
        url: maintenanceUrl(baseUrl, page, maintenance.id),
      },
      update: { id: update.id, state: update.state, body: update.body, posted_at: toTimestamp(update.postedAt) },
    },
  };
}
