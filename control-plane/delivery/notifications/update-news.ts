import { impactTones, type Tone } from '../../platform/design/tones.ts';
import { plainText } from '../../platform/markup/markdown.ts';
import type { RenderedText } from '../../platform/markup/rendered-text.ts';
import { incidentUrl } from '../../publishing/incidents/incident.ts';
import { fill, type Language, languageOf } from '../../publishing/status-pages/locale/language.ts';
import type { ChatPost } from '../transports/post.ts';
import { timeText } from './email/time-text.ts';
import type { IncidentNotice } from './incident-notice.ts';
import { type MaintenanceNotice, maintenanceUrl } from './maintenance-notice.ts';

/** What an update says to people, in the language of its page; of incidents and of maintenance alike. */
export type UpdateNews = {
  /** Of the incident or window: its messages are one thread. */
  id: string;
  page: IncidentNotice['page'];
  title: string;
  state: string;
  badge: string;
  tone: Tone;
  facts: readonly string[];
  url: string;
  view: string;
  viewAt: string;
  /** Markdown. */
  body: string;
  /** Null until a page that shows the text was published. */
  rendered: RenderedText | null;
};

/** What an incident update says. `baseUrl` has no slash at its end. */
export function incidentNews({ page, incident, update }: IncidentNotice, baseUrl: string): UpdateNews {
  const language = languageOf(page.locale);
  const { state, impact, email: words } = language.words;
  return {
    id: incident.id,
    page,
    title: incident.title,
    state: state[update.state],
    badge: `${state[update.state]} · ${impact[incident.impact]}`,
    tone: update.state === 'resolved' ? 'ok' : impactTones[incident.impact],
    facts: [
      ...affectedFact(incident.components, language),
      fill(words.posted, { time: timeText(update.postedAt, page.timezone, language.dateLocale) }),
    ],
    url: incidentUrl(baseUrl, page, incident.id),
    view: words.view,
    viewAt: words.viewAt,
    body: update.body,
    rendered: update.rendered,
  };
}

/** What an update of a maintenance window says. */
export function maintenanceNews({ page, maintenance, update }: MaintenanceNotice, baseUrl: string): UpdateNews {
  const language = languageOf(page.locale);
  const { maintenance: words, email } = language.words;
  const time = (ms: number) => timeText(ms, page.timezone, language.dateLocale);
  const state = words.state[update.state];
  return {
    id: maintenance.id,
    page,
    title: maintenance.title,
    state,
    badge: `${words.kind} · ${state}`,
    tone: update.state === 'completed' ? 'ok' : 'work',
    facts: [
      fill(words.when, { start: time(maintenance.startsAt), end: time(maintenance.endsAt) }),
      ...affectedFact(maintenance.components, language),
      fill(email.posted, { time: time(update.postedAt) }),
    ],
    url: maintenanceUrl(baseUrl, page, maintenance.id),
    view: words.view,
    viewAt: words.viewAt,
    body: update.body,
    rendered: update.rendered,
  };
}

/** Parsing a longer text takes too long beside everything else of a worker. */
const parsedMax = 2000;

/** An update as chats show it: its text without markup, or as it was written if it is long. */
export function chatPost({ page, title, badge, tone, facts, body, url, view }: UpdateNews): ChatPost {
  const text = body.length <= parsedMax ? plainText(body) : body;
  return {
    tone,
    title: `${page.name}: ${title}`,
    lines: [badge, ...facts, ...text.split('\n').filter(line => line.trim() !== '')],
    links: [{ title: view, url }],
  };
}

function affectedFact(components: readonly { name: string }[], { words }: Language): string[] {
  const names = components.map(component => component.name).join(', ');
  return names === '' ? [] : [fill(words.email.affected, { components: names })];
}
