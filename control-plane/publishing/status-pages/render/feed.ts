import { pathPart } from '../../../platform/markup/escape.ts';
import { type Html, html } from '../../../platform/markup/html.ts';
import { placeHeadings } from '../../../platform/markup/markdown.ts';
import { fill, type Language, languageOf } from '../locale/language.ts';
import { instant } from '../locale/times.ts';
import type { Words } from '../locale/words.ts';
import type { FeedEntry, PageIncident, PageMaintenance, PageModel } from '../publish/page-model.ts';
import { textOf } from '../publish/shorten.ts';

// An entry shows the state and text of its update and nothing of the incident's present: the text of an old entry never
// changes by itself. Its categories, by which readers filter, are those of the incident. Its date is the second in
// which it was posted; updates of one second come in their order.

const namesMax = 12;

/** RSS 2.0 with one item per update. An edit changes the item's text only. */
export function renderRss(model: PageModel, entries: readonly FeedEntry[]): string {
  const ordered = newestFirst(entries);
  const language = languageOf(model.page.locale);
  const latest = ordered[0]?.update.feedAt;
  return html`<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
<title>${model.page.name}</title>
<link>${model.url}</link>
<description>${descriptionOf(model, language.words)}</description>
<language>${model.page.locale}</language>
${latest !== undefined && html`<lastBuildDate>${new Date(latest).toUTCString()}</lastBuildDate>\n`}<ttl>5</ttl>
<atom:link href="${model.url}/feed.rss" rel="self" type="application/rss+xml"/>
${ordered.map(entry => rssItem(model, entry, language))}</channel></rss>
`.toString();
}

function rssItem(model: PageModel, entry: FeedEntry, language: Language): Html {
  const { update } = entry;
  return html`<item><title>${titleOf(entry, language.words)}</title>
<link>${linkOf(model, entry)}</link>
<guid isPermaLink="false">${idOf(update.id)}</guid>
<pubDate>${new Date(update.feedAt).toUTCString()}</pubDate>
${categoriesOf(entry, language.words).map(({ label }) => html`<category>${label}</category>`)}
<description>${bodyOf(entry)}</description></item>
`;
}

/** Atom (RFC 4287) with one entry per update. An edit changes the entry's text and its `updated`. */
export function renderAtom(model: PageModel, entries: readonly FeedEntry[]): string {
  const ordered = newestFirst(entries);
  const language = languageOf(model.page.locale);
  const changes = changeDates(ordered);
  const latest = Math.max(...(changes.length === 0 ? [firstDate(model)] : changes));
  const items = ordered.map((entry, index) => atomEntry(model, entry, changes[index] ?? entry.update.feedAt, language));
  return html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${model.page.locale}">
<title>${model.page.name}</title>
<subtitle>${descriptionOf(model, language.words)}</subtitle>
<id>${idOf(model.page.id)}</id>
<updated>${instant(latest)}</updated>
<author><name>${model.page.name}</name></author>
<link rel="self" type="application/atom+xml" href="${model.url}/feed.atom"/>
<link rel="alternate" type="text/html" href="${model.url}"/>
${items}</feed>
`.toString();
}

function atomEntry(model: PageModel, entry: FeedEntry, updatedAt: number, language: Language): Html {
  const { update } = entry;
  return html`<entry><title>${titleOf(entry, language.words)}</title>
<link rel="alternate" type="text/html" href="${linkOf(model, entry)}"/>
<id>${idOf(update.id)}</id>
<published>${instant(update.feedAt)}</published>
<updated>${instant(updatedAt)}</updated>
${categoriesOf(entry, language.words).map(({ term, label }) => html`<category term="${term}" label="${label}"/>`)}
<content type="html">${bodyOf(entry)}</content></entry>
`;
}

function newestFirst(entries: readonly FeedEntry[]): FeedEntry[] {
  return entries.toSorted((left, right) => right.update.feedAt - left.update.feedAt);
}

/** When each entry was last changed. Those of edits are distinct, since feed readers compare them. */
function changeDates(entries: readonly FeedEntry[]): number[] {
  const taken = new Set(entries.filter(({ update }) => update.editedAt === null).map(({ update }) => update.feedAt));
  return entries.map(({ update }) => {
    if (update.editedAt === null) return update.feedAt;
    let at = Math.max(update.editedAt, update.feedAt);
    while (taken.has(at)) at += 1;
    taken.add(at);
    return at;
  });
}

/** The state of the update, the severity of its incident or that it is maintenance, and what it affects. */
function categoriesOf(entry: FeedEntry, words: Words): { term: string; label: string }[] {
  const { components } = subjectOf(entry);
  const kind =
    'incident' in entry
      ? { term: entry.incident.severity, label: entry.incident.severity.toUpperCase() }
      : { term: 'maintenance', label: words.maintenance.kind };
  return [
    { term: entry.update.state, label: stateOf(entry, words) },
    kind,
    ...components.slice(0, namesMax).map(({ id, name }) => ({ term: id, label: name })),
  ];
}

/** Dates an empty feed: it must not change with every rendering. */
function firstDate(model: PageModel): number {
  return model.components.reduce((earliest, component) => Math.min(earliest, component.createdAt), model.asOf);
}

function subjectOf(entry: FeedEntry): PageIncident | PageMaintenance {
  return 'incident' in entry ? entry.incident : entry.maintenance;
}

function stateOf(entry: FeedEntry, words: Words): string {
  return 'incident' in entry ? words.state[entry.update.state] : words.maintenance.state[entry.update.state];
}

function titleOf(entry: FeedEntry, words: Words): string {
  return `${subjectOf(entry).title} – ${stateOf(entry, words)}`;
}

function linkOf(model: PageModel, entry: FeedEntry): string {
  const folder = 'incident' in entry ? 'incidents' : 'maintenances';
  return `${model.url}/${folder}/${pathPart(subjectOf(entry).id)}#${pathPart(entry.update.id)}`;
}

function idOf(id: string): string {
  return `urn:upquorum:${pathPart(id)}`;
}

/** HTML as text: feeds contain it escaped. */
function bodyOf(entry: FeedEntry): string {
  const text = 'incident' in entry ? textOf(entry.update).html : (entry.update.rendered?.html ?? '');
  return placeHeadings(text, 3).toString();
}

function descriptionOf({ page }: PageModel, words: Words): string {
  return page.description || fill(words.feed.about, { page: page.name });
}
