import type { FeedEntry, PageModel } from '../page-model.ts';
import { escapeText, pathPart } from './escape.ts';
import { renderMarkdown } from './markdown.ts';
import { instant } from './time.ts';
import { stateWords } from './words.ts';

// The title and body of an entry are its update's, never the incident's present state: an old entry stays as it was read.

/** RSS 2.0: one item an update. An edit changes its text only. */
export function renderRss(model: PageModel, entries: readonly FeedEntry[]): string {
  const ordered = newestFirst(entries);
  const latest = ordered[0]?.update.feedAt;
  const items = ordered.map(
    ({ incident, update }) => `<item><title>${titleOf({ incident, update })}</title>
<link>${linkOf(model, { incident, update })}</link>
<guid isPermaLink="false">${idOf(update.id)}</guid>
<pubDate>${new Date(update.feedAt).toUTCString()}</pubDate>
<category>${stateWords[update.state]}</category>
<description>${bodyOf(update.body)}</description></item>
`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
<title>${escapeText(model.page.name)}</title>
<link>${escapeText(model.url)}</link>
<description>${escapeText(descriptionOf(model))}</description>
<language>en</language>
${latest === undefined ? '' : `<lastBuildDate>${new Date(latest).toUTCString()}</lastBuildDate>\n`}<ttl>5</ttl>
<atom:link href="${escapeText(model.url)}/feed.rss" rel="self" type="application/rss+xml"/>
${items.join('')}</channel></rss>
`;
}

/** Atom (RFC 4287): one entry an update. An edit changes its text and its `updated`. */
export function renderAtom(model: PageModel, entries: readonly FeedEntry[]): string {
  const ordered = newestFirst(entries);
  const changes = changeDates(ordered);
  const latest = Math.max(...(changes.length === 0 ? [bornAt(model)] : changes));
  const items = ordered.map(
    ({ incident, update }, index) => `<entry><title>${titleOf({ incident, update })}</title>
<link rel="alternate" type="text/html" href="${linkOf(model, { incident, update })}"/>
<id>${idOf(update.id)}</id>
<published>${instant(update.feedAt)}</published>
<updated>${instant(changes[index] ?? update.feedAt)}</updated>
<category term="${update.state}" label="${stateWords[update.state]}"/>
<content type="html">${bodyOf(update.body)}</content></entry>
`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<title>${escapeText(model.page.name)}</title>
<subtitle>${escapeText(descriptionOf(model))}</subtitle>
<id>${idOf(model.page.id)}</id>
<updated>${instant(latest)}</updated>
<author><name>${escapeText(model.page.name)}</name></author>
<link rel="self" type="application/atom+xml" href="${escapeText(model.url)}/feed.atom"/>
<link rel="alternate" type="text/html" href="${escapeText(model.url)}"/>
${items.join('')}</feed>
`;
}

function newestFirst(entries: readonly FeedEntry[]): FeedEntry[] {
  return entries.toSorted((left, right) => right.update.feedAt - left.update.feedAt);
}

/** When each entry was last changed; no two alike, since readers take entries of one date for one. */
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

/** An empty feed needs a date that stays. */
function bornAt(model: PageModel): number {
  return model.components.reduce((earliest, component) => Math.min(earliest, component.createdAt), model.asOf);
}

function titleOf({ incident, update }: FeedEntry): string {
  return escapeText(`${incident.title} – ${stateWords[update.state]}`);
}

function linkOf(model: PageModel, { incident, update }: FeedEntry): string {
  return escapeText(`${model.url}/incidents/${pathPart(incident.id)}#${pathPart(update.id)}`);
}

function idOf(id: string): string {
  return `urn:upquorum:${pathPart(id)}`;
}

function bodyOf(markdown: string): string {
  return escapeText(renderMarkdown(markdown, 3));
}

function descriptionOf(model: PageModel): string {
  return model.page.description || `Incidents of ${model.page.name}`;
}
