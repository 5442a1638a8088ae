import type { PageModel, PageSettings } from '../page-model.ts';
import { escapeText, pathPart } from './escape.ts';
import { iconDefinitions } from './icons.ts';
import { styleFor } from './style.ts';
import type { Times } from './time.ts';

/**
 * Goes with every page made here: nothing is fetched and nothing runs. Anybody may frame a status page, since the worst that
 * a deceived click can do is to ask for a mail that has to be confirmed.
 */
export const pageSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors *; img-src 'self'";

export type Document = {
  page: PageSettings | null;
  /** Plain text, for the tab and for previews. */
  title: string;
  description: string;
  /** Absolute address of this document; null: it is not to be indexed. */
  address: string | null;
  /** Absolute address of the status page, for the feeds. */
  url: string | null;
  body: string;
};

/** A whole document around a body; the same for all pages. */
export function renderDocument(document: Document): string {
  const { page, title, description } = document;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeText(title)}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="${schemes(page)}">
<meta name="description" content="${escapeText(description)}">
${addressLinks(document)}<style>${styleFor(page?.theme ?? 'auto')}</style></head>
<body>${iconDefinitions()}<a class="skip" href="#main">Skip to content</a>
${document.body}
</body></html>
`;
}

/** Path of a page: absolute, so that it holds at every depth, and without a host, so that forms stay on the one that is open. */
export function pathOf(page: Pick<PageSettings, 'slug'>): string {
  return `/status/${pathPart(page.slug)}`;
}

/** Name of the page, and the ways to hear of what happens. */
export function pageHeader(page: PageSettings, action = ''): string {
  return `<header class="top"><p class="brand" dir="auto"><a href="${pathOf(page)}">${escapeText(page.name)}</a></p>${action}</header>`;
}

export function subscribeLink(page: PageSettings): string {
  return `<a class="button" href="${pathOf(page)}#subscribe">Get updates</a>`;
}

export function pageFooter(model: PageModel, times: Times): string {
  const path = pathOf(model.page);
  return `<footer class="bottom"><nav aria-label="Status page"><ul>
<li><a href="${path}/history">Incident history</a></li>
<li><a href="${path}/feed.rss">RSS</a></li>
<li><a href="${path}/feed.atom">Atom</a></li>
<li><a href="${path}/summary.json">JSON</a></li></ul></nav>
<p>As of ${times.html(model.asOf)}. All times are in ${escapeText(times.zone)}.</p></footer>`;
}

function addressLinks({ page, address, url, title, description }: Document): string {
  const shown =
    address === null
      ? '<meta name="robots" content="noindex">\n'
      : `<link rel="canonical" href="${escapeText(address)}">
<meta property="og:title" content="${escapeText(title)}">
<meta property="og:description" content="${escapeText(description)}">
`;
  if (page === null || url === null) return shown;
  const name = escapeText(page.name);
  return `${shown}<link rel="alternate" type="application/rss+xml" title="${name} (RSS)" href="${pathOf(page)}/feed.rss">
<link rel="alternate" type="application/atom+xml" title="${name} (Atom)" href="${pathOf(page)}/feed.atom">
`;
}

function schemes(page: PageSettings | null): string {
  const theme = page?.theme ?? 'auto';
  return theme === 'auto' ? 'light dark' : theme;
}
