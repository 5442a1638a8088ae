import type { StatusPage } from '../../session/api-types.ts';

/** The settings of a status page as they are typed. */
export type PageDraft = {
  name: string;
  slug: string;
  description: string;
  timezone: string;
  locale: string;
  theme: string;
  history_days: string;
  /** '' for none. */
  color: string;
  home_url: string;
  support_url: string;
  /** Undefined: as it is; null: none; else a data URL. */
  logo: string | null | undefined;
};

/** What the API takes. */
type PagePatch = Partial<
  Pick<StatusPage, 'name' | 'slug' | 'description' | 'timezone' | 'locale' | 'theme' | 'history_days'> & {
    color: string | null;
    home_url: string | null;
    support_url: string | null;
    logo: string | null;
  }
>;

export const pageLocales = [
  ['en', 'English'],
  ['de', 'Deutsch'],
  ['fr', 'Français'],
] as const;
export const pageThemes = [
  ['auto', 'Follow the visitor’s system'],
  ['light', 'Always light'],
  ['dark', 'Always dark'],
] as const;

export function pageDraftOf(page: StatusPage): PageDraft {
  const { name, slug, description, timezone, locale, theme, history_days, color, home_url, support_url } = page;
  return {
    ...{ name, slug, description, timezone, locale, theme },
    history_days: String(history_days),
    color: color ?? '',
    home_url: home_url ?? '',
    support_url: support_url ?? '',
    logo: undefined,
  };
}

/** The fields that differ from the page, for PATCH. */
export function pageChanges(page: StatusPage, draft: PageDraft): PagePatch {
  const { logo, ...typed } = draft;
  const { logo: _, ...stored } = pageDraftOf(page);
  const names = Object.keys(stored) as (keyof typeof stored)[];
  const changes = names
    .filter(name => typed[name].trim() !== stored[name])
    .map(name => [name, toValue(name, typed[name])]);
  return { ...Object.fromEntries(changes), ...(logo === undefined ? {} : { logo }) };
}

/** A number that is none is sent as it was typed: the server says what is wrong with it. */
function toValue(name: keyof PageDraft, typed: string): string | number | null {
  const text = typed.trim();
  if (name === 'history_days') return text === '' || Number.isNaN(Number(text)) ? text : Number(text);
  return text === '' && ['color', 'home_url', 'support_url'].includes(name) ? null : text;
}

const logoBytesMax = 64 * 1024;

/** Why a file cannot be a logo; null if it may be one. */
export function logoFault({ type, size }: { type: string; size: number }): string | null {
  if (!['image/png', 'image/jpeg', 'image/webp'].includes(type)) return 'Choose a PNG, JPEG or WebP image.';
  if (size > logoBytesMax) return `The file has ${Math.ceil(size / 1024)} KiB; at most 64 KiB are possible.`;
  return null;
}

/** What a new slug means, for whoever is about to change it; null if it stays. */
export function slugConsequence(stored: string, typed: string): string | null {
  const slug = typed.trim();
  if (slug === stored || slug === '') return null;
  return (
    `The page moves to /status/${slug}. Its present address /status/${stored} redirects there, ` +
    'also for feeds, badges and links in emails. No other page can take the old address.'
  );
}

/** The key of a private page's feeds, for whoever may see it. */
export function feedQuery({ feed_url }: StatusPage['access']): string {
  return feed_url === undefined ? '' : new URL(feed_url).search;
}

/** What to paste elsewhere to show the state of a page. */
export function embedCodes({
  name,
  url,
  access,
}: Pick<StatusPage, 'name' | 'url' | 'access'>): readonly { label: string; code: string }[] {
  const text = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  const badge = `${url}/badge.svg${feedQuery(access)}`;
  return [
    { label: 'Badge in Markdown', code: `[![${name.replaceAll(/[[\]]/g, '')}](${badge})](${url})` },
    { label: 'Badge in HTML', code: `<a href="${url}"><img src="${badge}" alt="${text}"></a>` },
    {
      label: 'Embed the page (iframe)',
      code: `<iframe src="${url}" title="${text}" width="100%" height="600" loading="lazy"></iframe>`,
    },
  ];
}

/** Addresses for programs. */
export function feedAddresses({
  url,
  access,
}: Pick<StatusPage, 'url' | 'access'>): readonly { label: string; code: string }[] {
  const query = feedQuery(access);
  return [
    { label: 'RSS', code: `${url}/feed.rss${query}` },
    { label: 'Atom', code: `${url}/feed.atom${query}` },
    { label: 'JSON', code: `${url}/summary.json${query}` },
  ];
}
