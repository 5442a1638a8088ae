import type { Impact, IncidentState, Severity, ShownStatus } from '#shared/vocabulary.ts';
import type { MaintenanceState, ShownUpdateState } from '../../../monitoring/maintenances/maintenance.ts';
import type { RenderedText } from '../../../platform/markup/rendered-text.ts';
import type { Locale } from '../locale/language.ts';

// All instants are milliseconds since the epoch.

/** What the operator sets for a page. */
export type PageSettings = {
  id: string;
  name: string;
  slug: string;
  description: string;
  timezone: string;
  locale: Locale;
  theme: 'auto' | 'light' | 'dark';
  historyDays: number;
  /** Size in pixels; its bytes are in the model, or in `source`, a data URL, where no document has them. */
  logo: { width: number; height: number; source?: string } | null;
  /** As `#rrggbb`. */
  brandColor: string | null;
  homeUrl: string | null;
  supportUrl: string | null;
  /** Not everybody may see it: its documents have other names. */
  isPrivate?: boolean;
  /** Its own domain, by which it is known; null or without it: its address below PUBLIC_URL. */
  domain?: string | null;
};

/** The logo as visitors load it. */
export type Logo = { contentType: string; bytes: Uint8Array };

/**
 * One day of a component in the page's time zone. Measured by monitors: `none`: nothing was measured; `down`: at least
 * an hour of downtime, or more than half of the measured time; `partial`: less downtime; `degraded`: no downtime, but
 * warnings. Reported by incidents: the worst impact of the day; `none`: the component did not exist yet.
 */
export type DayLevel = 'none' | 'up' | 'degraded' | 'partial' | 'down';
export type Day = {
  /** YYYY-MM-DD. */
  date: string;
  level: DayLevel;
  /** From 0 to 1; null if nothing was measured: then every level but `none` was reported by incidents. */
  uptime: number | null;
  downMs: number;
  degradedMs: number;
  /** The tool that what was measured was brought from, all of it or a part; left out if it was measured here. */
  importedFrom?: string;
};

export type PageComponent = {
  id: string;
  name: string;
  description: string;
  group: string | null;
  /** Order within the page. */
  position: number;
  status: ShownStatus;
  createdAt: number;
  updatedAt: number;
  /** Oldest first, `historyDays` of them; null if uptime is not shown. */
  days: readonly Day[] | null;
  /** Over all days; null if nothing was measured or uptime is not shown. */
  uptime: number | null;
  /** How many incidents affected it in these days; null if its days are measured by monitors or not shown. */
  incidentCount: number | null;
};

export type PageUpdate = {
  id: string;
  state: IncidentState;
  /** Markdown. */
  body: string;
  /** What the body was rendered to before; without it, it is rendered when it is shown. */
  rendered?: RenderedText;
  /** True where only the beginning of the text is left. */
  isShort?: boolean;
  postedAt: number;
  editedAt: number | null;
  /** Whole second: the date in feeds. */
  feedAt: number;
};

export type PageIncident = {
  id: string;
  title: string;
  severity: Severity;
  impact: Impact;
  state: IncidentState;
  startedAt: number;
  resolvedAt: number | null;
  createdAt: number;
  updatedAt: number;
  components: readonly { id: string; name: string }[];
  /** Oldest first. */
  updates: readonly PageUpdate[];
  /** Older updates, which only the incident's own page has. */
  earlierUpdates?: number;
  /** An external write-up. */
  postmortemUrl: string | null;
  /** Markdown, hosted on the incident's page. */
  postmortemBody: string | null;
  /** What it was rendered to before; its headings start at level one. */
  postmortemHtml?: string;
};

export type MaintenanceUpdate = Omit<PageUpdate, 'state'> & { state: ShownUpdateState };

/** One announced window. */
export type PageMaintenance = {
  id: string;
  title: string;
  state: MaintenanceState;
  startsAt: number;
  endsAt: number;
  createdAt: number;
  updatedAt: number;
  /** Null without one. */
  description: RenderedText | null;
  /** Of this page; none: all of it. */
  components: readonly { id: string; name: string }[];
  /** Oldest first, the latest twenty. */
  updates: readonly MaintenanceUpdate[];
};

/** Everything a status page shows. Rendering is a pure function of it: the same model gives the same bytes. */
export type PageModel = {
  page: PageSettings;
  /** Absolute address of the page, without a slash at its end. */
  url: string;
  asOf: number;
  /** False without an SMTP server: nobody can subscribe by email. */
  canMail?: boolean;
  /** The worst of all components and of open incidents without components. */
  status: ShownStatus;
  /** In display order; components of one group are adjacent. */
  components: readonly PageComponent[];
  /** Heaviest first: by impact, then severity, then latest start. */
  openIncidents: readonly PageIncident[];
  /** In progress, then upcoming, then over for less than 14 days. */
  maintenances?: readonly PageMaintenance[];
  /** Resolved within the last 14 days, latest start first. */
  recentIncidents: readonly PageIncident[];
  logo: Logo | null;
};

/** An entry of a feed: one update of one incident or window. Newest first, at most 50. */
export type FeedEntry =
  | { incident: PageIncident; update: PageUpdate }
  | { maintenance: PageMaintenance; update: MaintenanceUpdate };

/** A small page in answer to a form or a wrong address. `form` posts to `action`, an absolute path with query. */
export type Notice = {
  title: string;
  text: string;
  form: { action: string; button: string } | null;
};
