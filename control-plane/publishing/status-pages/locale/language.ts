import { minuteMs } from '#shared/duration.ts';
import { type Html, html, type MarkupHole } from '../../../platform/markup/html.ts';
import { english } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import type { CountedWord, Words } from './words.ts';

/** Languages of status pages, by their BCP 47 tags. */
export const locales = ['en', 'de', 'fr'] as const;
export type Locale = (typeof locales)[number];

/** `dates` is the locale of dates: English ones are written for readers everywhere, not in the American order. */
const languages: Record<Locale, { words: Words; direction: 'ltr' | 'rtl'; dates: string }> = {
  en: { words: english, direction: 'ltr', dates: 'en-GB' },
  de: { words: german, direction: 'ltr', dates: 'de' },
  fr: { words: french, direction: 'ltr', dates: 'fr' },
};

/** Words, numbers and durations in one language. */
export type Language = {
  locale: Locale;
  direction: 'ltr' | 'rtl';
  words: Words;
  /** For `Intl.DateTimeFormat`. */
  dateLocale: string;
  /** A counted word with its number: 3 components. */
  count(word: CountedWord, count: number): string;
  /** A share from 0 to 1 as a percentage, rounded down: 100% means that nothing was missed. */
  percent(share: number): string;
  /** 3 days 4 hours, 45 minutes: the two largest units, rounded down; from a week on, days only. */
  duration(ms: number): string;
  /** The same with abbreviated units: 2 hr 6 min. */
  shortDuration(ms: number): string;
};

const known = new Map<Locale, Language>();

/** Made once: formatters of Intl are expensive, and what they wrote is remembered. */
export function languageOf(locale: Locale): Language {
  const language = known.get(locale) ?? makeLanguage(locale);
  known.set(locale, language);
  return language;
}

function makeLanguage(locale: Locale): Language {
  const { words, direction, dates } = languages[locale];
  const plurals = new Intl.PluralRules(locale);
  const numbers = new Intl.NumberFormat(locale);
  const units = unitFormats(locale);
  const percentOf = (digits: number) =>
    new Intl.NumberFormat(locale, { style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits });
  const [whole, exact] = [percentOf(0), percentOf(2)];
  const percents = memo((hundredths: number) => (hundredths % 100 === 0 ? whole : exact).format(hundredths / 10_000));
  const durationIn = (ms: number, display: 'long' | 'short') =>
    durationParts(ms)
      .map(([count, unit]) => units(unit, display).format(count))
      .join(' ') || words.duration.moment;
  const shortDurations = memo((minutes: number) => durationIn(minutes * minuteMs, 'short'));
  return {
    locale,
    direction,
    words,
    dateLocale: dates,
    count: (word, count) =>
      fill(plurals.select(count) === 'one' ? word.one : word.other, { count: numbers.format(count) }),
    percent: share => percents(Math.floor(share * 10_000 + 1e-9)),
    duration: ms => durationIn(ms, 'long'),
    shortDuration: ms => shortDurations(Math.max(0, Math.floor(ms / minuteMs))),
  };
}

/** Most texts that one memory keeps; it begins anew then. */
const rememberedMax = 10_000;

/** Remembers what it made: a page has 90 dates and thousands of days. */
export function memo<Key extends string | number, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return key => {
    let value = made.get(key);
    if (value === undefined) {
      if (made.size >= rememberedMax) made.clear();
      value = make(key);
      made.set(key, value);
    }
    return value;
  };
}

/** Words at even places, names of holes between them. */
const partsOf = memo((template: string) => template.split(/\{(\w+)\}/));

/** The template with its holes filled. `template` is one of the product's words. */
export function fill(template: string, holes: Readonly<Record<string, string | number>>): string {
  let text = '';
  for (const [index, part] of partsOf(template).entries())
    text += index % 2 === 0 ? part : String(holes[part] ?? `{${part}}`);
  return text;
}

/** The template as markup: its words and the texts in its holes are escaped. */
export function fillHtml(template: string, holes: Readonly<Record<string, MarkupHole>>): Html {
  return html`${partsOf(template).map((part, index) => (index % 2 === 0 ? part : holes[part]))}`;
}

type Unit = 'day' | 'hour' | 'minute';

/** Empty for less than a minute. */
function durationParts(ms: number): [count: number, unit: Unit][] {
  const minutes = Math.max(0, Math.floor(ms / minuteMs));
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  const parts: [number, Unit][] =
    days >= 7
      ? [[days, 'day']]
      : days > 0
        ? [
            [days, 'day'],
            [hours, 'hour'],
          ]
        : [
            [hours, 'hour'],
            [minutes % 60, 'minute'],
          ];
  return parts.filter(([count]) => count > 0);
}

function unitFormats(locale: Locale): (unit: Unit, display: 'long' | 'short') => Intl.NumberFormat {
  const formats = new Map<string, Intl.NumberFormat>();
  return (unit, unitDisplay) => {
    const key = `${unit} ${unitDisplay}`;
    const format = formats.get(key) ?? new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay });
    formats.set(key, format);
    return format;
  };
}
