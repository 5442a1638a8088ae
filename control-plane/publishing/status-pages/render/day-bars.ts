import type { Tone } from '../../../platform/design/tones.ts';
import { type Html, html } from '../../../platform/markup/html.ts';
import { fill, type Language } from '../locale/language.ts';
import type { Day, DayLevel } from '../publish/page-model.ts';
import type { View } from './view.ts';

/** Width of all bars: 90 days are bars 6 wide and 3 apart, whole pixels at the page's full width. */
const width = 810;
const barsHeight = 40;

/**
 * Vertical extents of each level's bars: taller is worse, and each is cut differently, so that colour is not needed.
 */
const shapes: Record<DayLevel, readonly (readonly [top: number, bottom: number])[]> = {
  none: [[17, 23]],
  up: [[7, 33]],
  degraded: [
    [7, 13],
    [17, 33],
  ],
  partial: [
    [3, 16],
    [20, 37],
  ],
  down: [[0, 40]],
};
const levelTones: Record<DayLevel, Tone> = {
  none: 'none',
  up: 'ok',
  degraded: 'slow',
  partial: 'part',
  down: 'down',
};

const levelStatuses = {
  degraded: 'degraded_performance',
  partial: 'partial_outage',
  down: 'major_outage',
} as const;

type DayView = Pick<View, 'language' | 'times'>;

/** Markup that components of a page share: most of their days look and read the same. */
export type DayCache = { items: Map<string, Html>; bars: Map<number, Bar> };
type Bar = (index: number, level: DayLevel) => string;

/** Serves one page, since entries are found by their day and number of days only. */
export function createDayCache(): DayCache {
  return { items: new Map(), bars: new Map() };
}

/**
 * All days of a component as one small picture: one path for the uneventful days, and one with a title for each other
 * day. `dayList` has the same facts as text.
 */
export function dayBars(days: readonly Day[], cache: DayCache, view: DayView): Html {
  const bar = barsOf(days.length, cache);
  const uneventful: Record<'up' | 'none' | 'imported', string> = { up: '', none: '', imported: '' };
  const source = days.findLast(day => day.importedFrom !== undefined)?.importedFrom ?? '';
  const eventful: Html[] = [];
  for (const [index, day] of days.entries()) {
    const path = bar(index, day.level);
    if (day.level === 'up' && day.importedFrom !== undefined) uneventful.imported += path;
    else if (day.level === 'up' || day.level === 'none') uneventful[day.level] += path;
    else eventful.push(eventfulBar(day, path, view));
  }
  const up = uneventful.up !== '' && html`<path class="b-ok" d="${uneventful.up}"/>`;
  const words = fill(view.language.words.day.imported, { source });
  const imported =
    uneventful.imported !== '' &&
    html`<path class="b-ok from" d="${uneventful.imported}"><title>${words}</title></path>`;
  const none = uneventful.none !== '' && html`<path class="b-none" d="${uneventful.none}"/>`;
  const right = round(width - gapOf(days.length));
  return html`<svg class="bars" viewBox="0 0 ${right} ${barsHeight}" preserveAspectRatio="none"
 stroke-width="${strokeOf(days.length)}" aria-hidden="true">${up}${imported}${none}${eventful}</svg>`;
}

function eventfulBar(day: Day, path: string, { language, times }: DayView): Html {
  const title = html`<title>${times.day(day.date)}: ${dayWords(day, language)}</title>`;
  const from = day.importedFrom === undefined ? '' : ' from';
  return html`<path class="b-${levelTones[day.level]}${from}" d="${path}">${title}</path>`;
}

/** One bar of a level, for the legend. */
export function sampleBar(level: DayLevel): Html {
  const bar = html`<path class="b-${levelTones[level]}" d="${barOf(90)(0, level)}"/>`;
  return html`<svg class="sample" viewBox="0 0 6 ${barsHeight}" stroke-width="6" aria-hidden="true">${bar}</svg>`;
}

/**
 * The days as text, latest first, for everybody who cannot see the bars. Uneventful days in a row are one item: ninety
 * that say the same are most of the page and tell nobody more.
 */
export function dayList(days: readonly Day[], cache: DayCache, view: DayView): Html {
  const runs = runsOf(days, view).toReversed();
  return html`<ol class="days">${runs.map(run => runItem(run, cache, view))}</ol>`;
}

/** Days in a row that read the same. */
type Run = { first: Day; last: Day; words: string };

function runsOf(days: readonly Day[], { language }: DayView): Run[] {
  const runs: Run[] = [];
  for (const day of days) {
    const words = dayWords(day, language);
    const run = runs.at(-1);
    if (run !== undefined && isUneventful(day) && run.last.level === day.level && run.words === words) run.last = day;
    else runs.push({ first: day, last: day, words });
  }
  return runs;
}

function isUneventful({ level, downMs, degradedMs }: Day): boolean {
  return level === 'none' || (level === 'up' && downMs === 0 && degradedMs === 0);
}

/** 99.31% up, 10 min down, 5 min degraded; of a day that no monitor measured: Partial outage, 10 min */
export function dayWords(day: Day, language: Language): string {
  const { words } = language;
  if (day.level === 'none') return words.day.none;
  if (day.uptime === null) return reportedWords(day, language);
  const [down, degraded] = [day.downMs, day.degradedMs].map(language.shortDuration);
  return [
    fill(words.day.up, { share: language.percent(day.uptime) }),
    ...(day.downMs > 0 ? [fill(words.day.down, { duration: down ?? '' })] : []),
    ...(day.degradedMs > 0 ? [fill(words.day.degraded, { duration: degraded ?? '' })] : []),
    ...(day.importedFrom === undefined ? [] : [fill(words.day.imported, { source: day.importedFrom })]),
  ].join(', ');
}

/** Without a duration where the operator set the status and no incident says since when. */
function reportedWords({ level, downMs, degradedMs }: Day, { words, shortDuration }: Language): string {
  if (level === 'up' || level === 'none') return words.day.calm;
  const text = words.status[levelStatuses[level]];
  return downMs + degradedMs === 0 ? text : `${text}, ${shortDuration(downMs + degradedMs)}`;
}

function runItem({ first, last, words }: Run, cache: DayCache, { times }: DayView): Html {
  const key = `${first.date} ${last.date} ${first.level} ${words}`;
  const cached = cache.items.get(key);
  if (cached !== undefined) return cached;
  const mark = first.level !== 'up' && html` class="d-${levelTones[first.level]}"`;
  const date = first === last ? times.day(first.date) : times.days(first.date, last.date);
  const item = html`<li${mark}><span>${date}</span> <b>${words}</b></li>`;
  if (isUneventful(first)) cache.items.set(key, item);
  return item;
}

function barsOf(count: number, cache: DayCache): Bar {
  const cached = cache.bars.get(count);
  if (cached !== undefined) return cached;
  const bar = barOf(count);
  const paths: Record<DayLevel, string[]> = { none: [], up: [], degraded: [], partial: [], down: [] };
  const caching: Bar = (index, level) => {
    const ofLevel = paths[level];
    ofLevel[index] ??= bar(index, level);
    return ofLevel[index];
  };
  cache.bars.set(count, caching);
  return caching;
}

/** Bars are strokes with round ends; few days make wide bars, which are rectangles with round corners. */
function barOf(count: number): Bar {
  const pitch = width / count;
  const stroke = strokeOf(count);
  const inner = round(pitch - gapOf(count) - stroke);
  return (index, level) => {
    const left = round(index * pitch + stroke / 2);
    return shapes[level].map(([top, bottom]) => piece(left, inner, top + stroke / 2, bottom - stroke / 2)).join('');
  };
}

function piece(left: number, inner: number, top: number, bottom: number): string {
  const start = `M${left} ${round(top)}v${round(bottom - top)}`;
  return inner > 0 ? `${start}h${inner}V${round(top)}z` : start;
}

function gapOf(count: number): number {
  return Math.min(3, width / count / 3);
}

function strokeOf(count: number): number {
  return round(Math.min(6, width / count - gapOf(count)));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
