import type { ShownStatus } from '../components/status.ts';
import type { Impact, IncidentState } from '../incidents/incident-words.ts';
import type { Severity } from '../monitors/monitor.ts';

/** All instants are milliseconds since the epoch. */

export type PageSettings = {
  id: string;
  name: string;
  slug: string;
  description: string;
  timezone: string;
  theme: 'auto' | 'light' | 'dark';
  historyDays: number;
};

/**
 * One day of a component in the page's time zone. `none`: nothing was measured; `down`: at least an hour of it, or most of
 * what was measured; `partial`: some downtime; `degraded`: none, but slow or warned.
 */
export type DayLevel = 'none' | 'up' | 'degraded' | 'partial' | 'down';
export type Day = {
  /** YYYY-MM-DD. */
  date: string;
  level: DayLevel;
  /** From 0 to 1; null when nothing was measured. */
  uptime: number | null;
  downMs: number;
  degradedMs: number;
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
  /** Oldest first, `historyDays` of them; null when uptime is not shown or no monitor is bound. */
  days: readonly Day[] | null;
  /** Over all days; null when nothing was measured or is shown. */
  uptime: number | null;
};

export type PageUpdate = {
  id: string;
  state: IncidentState;
  /** Markdown. */
  body: string;
  postedAt: number;
  editedAt: number | null;
  /** Whole second, unique within the page: the date in feeds. */
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
  /** An external write-up. */
  postmortemUrl: string | null;
  /** Markdown, hosted on the incident's page. */
  postmortemBody: string | null;
};

/** All a status page shows. Rendering is a pure function of it: the same model gives the same bytes. */
export type PageModel = {
  page: PageSettings;
  /** Absolute address of the page, without a slash at its end. */
  url: string;
  asOf: number;
  /** Worst of all components and of open incidents that name none. */
  status: ShownStatus;
  /** In the order in which they are shown; those of one group stand together. */
  components: readonly PageComponent[];
  /** Not resolved, latest start first. */
  openIncidents: readonly PageIncident[];
  /** Resolved within the last 14 days, latest start first. */
  recentIncidents: readonly PageIncident[];
};

/** An entry of a feed: one update of one incident. Newest first, at most 50. */
export type FeedEntry = { incident: PageIncident; update: PageUpdate };

/** A small page that answers a form or a wrong address. `form` posts to `action` (an absolute path with query). */
export type Notice = {
  title: string;
  text: string;
  form: { action: string; button: string } | null;
};
