import type { Tone } from '../../../platform/design/tones.ts';
import { pathPart, webAddress } from '../../../platform/markup/escape.ts';
import { type Html, html, trusted } from '../../../platform/markup/html.ts';
import { fillHtml, type Language } from '../locale/language.ts';
import type { PageSettings } from '../publish/page-model.ts';
import { brandOf } from './brand.ts';
import { iconDefinitions } from './icons.ts';
import { styleFor } from './style.ts';
import type { View } from './view.ts';

/**
 * Content security policy of every page rendered here: only our own pictures are loaded and nothing runs. Anybody may
 * frame a status page: the worst a tricked click can do is request an email that has to be confirmed.
 */
export const pageSecurityPolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "form-action 'self'",
  "base-uri 'none'",
  'frame-ancestors *',
  "img-src 'self'",
].join('; ');

/** The same for notices with a form, whose button nobody may be tricked to click. */
export const noticeSecurityPolicy = pageSecurityPolicy.replace('frame-ancestors *', "frame-ancestors 'none'");

export type Document = {
  page: PageSettings | null;
  language: Language;
  /** The tone that the page's icon shows now, so that browsers load it anew when it changes; null: not known here. */
  tone: Tone | null;
  /** Plain text, for the tab and for previews. */
  title: string;
  description: string;
  /** Absolute address of this document; null: search engines must not index it. */
  address: string | null;
  /** Absolute address of the status page, for the feeds. */
  url: string | null;
  body: Html;
};

/** A whole HTML document around a body; the same for all pages. */
export function renderDocument(document: Document): string {
  const { page, language, title, description } = document;
  const brand = brandOf(page?.brandColor ?? null);
  return html`<!doctype html>
<html lang="${language.locale}" dir="${language.direction}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="${schemes(page)}">
${brand !== null && html`<meta name="theme-color" content="${brand.fill}">\n`}<meta name="description"
 content="${description}">
${addressLinks(document)}${iconLink(document)}<style>${trusted(styleFor(page?.theme ?? 'auto', brand))}</style></head>
<body>${iconDefinitions()}<a class="skip" href="#main">${language.words.frame.skip}</a>
${document.body}
</body></html>
`.toString();
}

/**
 * What stands before the paths of a page: absolute, so that it works at every depth, without a host, so that forms stay
 * on the current one. HTML of a page with a domain of its own is shown there alone.
 */
export function pathOf({ slug, domain = null }: Pick<PageSettings, 'slug' | 'domain'>): string {
  return domain === null ? `/status/${pathPart(slug)}` : '';
}

function startOf(page: PageSettings): string {
  return pathOf(page) || '/';
}

/** Logo and name of the page, which lead to its owner's site or to the page itself, and links beside them. */
export function pageHeader(page: PageSettings, language: Language, action: Html | null = null): Html {
  const home = (page.homeUrl === null ? null : webAddress(page.homeUrl)) ?? startOf(page);
  const brand = html`<p class="brand"><a href="${home}">${logo(page)}${
    isWordmark(page) ? null : html`<bdi>${page.name}</bdi>`
  }</a></p>`;
  return html`<header class="top">${brand}<div class="actions">${supportLink(page, language)}${action}</div></header>`;
}

export function subscribeLink(page: PageSettings, { words }: Language): Html {
  return html`<a class="button" href="${startOf(page)}#subscribe">${words.frame.subscribe}</a>`;
}

export function backLink(page: PageSettings, { words }: Language): Html {
  return html`<p class="back"><a href="${startOf(page)}">${words.frame.back}</a></p>`;
}

export function pageFooter({ model, language, times }: View): Html {
  const path = pathOf(model.page);
  const { frame, history } = language.words;
  const support = supportLink(model.page, language);
  return html`<footer class="bottom"><nav aria-label="${frame.links}"><ul>
${support !== null && html`<li>${support}</li>\n`}<li><a href="${path}/history">${history.title}</a></li>
<li><a href="${path}/feed.rss">RSS</a></li>
<li><a href="${path}/feed.atom">Atom</a></li>
<li><a href="${path}/summary.json">JSON</a></li></ul></nav>
<p>${fillHtml(frame.zone, { time: times.html(model.asOf), zone: times.zone })}</p></footer>`;
}

/** A wide logo holds the name itself, which is not repeated beside it. */
function isWordmark({ logo }: PageSettings): boolean {
  return logo !== null && logo.width >= 2 * logo.height;
}

function logo(page: PageSettings): Html | null {
  if (page.logo === null) return null;
  const { width, height, source = `${pathOf(page)}/logo` } = page.logo;
  const name = isWordmark(page) ? page.name : '';
  return html`<img src="${source}" alt="${name}" width="${width}" height="${height}">`;
}

function supportLink({ supportUrl }: PageSettings, { words }: Language): Html | null {
  if (supportUrl === null) return null;
  const address = /^mailto:[^\s]+$/i.test(supportUrl) ? supportUrl : webAddress(supportUrl);
  return address === null ? null : html`<a class="support" href="${address}">${words.frame.support}</a>`;
}

/** The logo, unless it is too wide for a tab; else the shape and colour of the current state. */
function iconLink({ page, tone }: Document): Html | null {
  if (page === null) return null;
  const path = pathOf(page);
  if (page.logo !== null && !isWordmark(page))
    return html`<link rel="icon" href="${path}/logo">
`;
  return html`<link rel="icon" type="image/svg+xml" href="${path}/icon.svg${tone !== null && `?${tone}`}">
`;
}

function addressLinks({ page, address, url, title, description }: Document): Html {
  const own =
    address === null
      ? html`<meta name="robots" content="noindex">
`
      : html`<link rel="canonical" href="${address}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
`;
  if (page === null || url === null) return own;
  const path = pathOf(page);
  return html`${own}<link rel="alternate" type="application/rss+xml" title="${page.name} (RSS)" href="${path}/feed.rss">
<link rel="alternate" type="application/atom+xml" title="${page.name} (Atom)" href="${path}/feed.atom">
`;
}

function schemes(page: PageSettings | null): string {
  const theme = page?.theme ?? 'auto';
  return theme === 'auto' ? 'light dark' : theme;
}
