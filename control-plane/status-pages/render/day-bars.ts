import type { Day, DayLevel } from '../page-model.ts';
import { dayText, durationText } from './time.ts';
import { percentText } from './words.ts';

/** Width of all bars: at 90 days a bar is 6 wide and 3 apart, whole pixels at the page's full width. */
const width = 810;
export const barsHeight = 40;

/** From top to bottom of each level's bars: higher the worse, and cut differently, so that shape tells what colour tells. */
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
const levelTones: Record<DayLevel, string> = {
  none: 'none',
  up: 'ok',
  degraded: 'slow',
  partial: 'part',
  down: 'down',
};

/** What components have in common, made once a page: most of their days look and read the same. */
export type Made = { items: Map<string, string>; bars: Map<number, Bar> };
type Bar = (index: number, level: DayLevel) => string;

export function nothingMade(): Made {
  return { items: new Map(), bars: new Map() };
}

/**
 * All days of a component as one small picture: a path for the quiet days, one with its words for each day that was not.
 * The same facts stand as text in `dayList`.
 */
export function dayBars(days: readonly Day[], made: Made): string {
  const bar = barsOf(days.length, made);
  const quiet: Record<'up' | 'none', string> = { up: '', none: '' };
  let loud = '';
  for (const [index, day] of days.entries()) {
    const path = bar(index, day.level);
    if (day.level === 'up' || day.level === 'none') quiet[day.level] += path;
    else
      loud += `<path class="b-${levelTones[day.level]}" d="${path}"><title>${dayText(day.date)}: ${dayWords(day)}</title></path>`;
  }
  const up = quiet.up === '' ? '' : `<path class="b-ok" d="${quiet.up}"/>`;
  const none = quiet.none === '' ? '' : `<path class="b-none" d="${quiet.none}"/>`;
  const right = round(width - gapOf(days.length));
  return `<svg class="bars" viewBox="0 0 ${right} ${barsHeight}" preserveAspectRatio="none" stroke-width="${strokeOf(days.length)}" aria-hidden="true">${up}${none}${loud}</svg>`;
}

/** One bar of a level beside its word, for the legend. */
export function sampleBar(level: DayLevel): string {
  return `<svg class="sample" viewBox="0 0 6 ${barsHeight}" stroke-width="6" aria-hidden="true"><path class="b-${levelTones[level]}" d="${barOf(90)(0, level)}"/></svg>`;
}

/** Text for every day, latest first: what the bars show to those who see them. */
export function dayList(days: readonly Day[], made: Made): string {
  let list = '';
  for (let index = days.length - 1; index >= 0; index--) {
    const day = days[index];
    if (day !== undefined) list += dayItem(day, made);
  }
  return `<ol class="days">${list}</ol>`;
}

/** 99.31% up, 10 min down, 5 min degraded */
export function dayWords(day: Day): string {
  if (day.level === 'none' || day.uptime === null) return 'no data';
  const down = day.downMs > 0 ? `, ${durationText(day.downMs)} down` : '';
  const degraded = day.degradedMs > 0 ? `, ${durationText(day.degradedMs)} degraded` : '';
  return `${percentText(day.uptime)} up${down}${degraded}`;
}

function dayItem(day: Day, made: Made): string {
  const quiet = day.level === 'up' && day.downMs === 0 && day.degradedMs === 0 && day.uptime === 1;
  const known = quiet ? made.items.get(day.date) : undefined;
  if (known !== undefined) return known;
  const mark = day.level === 'up' ? '' : ` class="d-${levelTones[day.level]}"`;
  const item = `<li${mark}><span>${dayText(day.date)}</span> <b>${dayWords(day)}</b></li>`;
  if (quiet) made.items.set(day.date, item);
  return item;
}

function barsOf(count: number, made: Made): Bar {
  const known = made.bars.get(count);
  if (known !== undefined) return known;
  const bar = barOf(count);
  const paths: Record<DayLevel, string[]> = { none: [], up: [], degraded: [], partial: [], down: [] };
  const kept: Bar = (index, level) => {
    const ofLevel = paths[level];
    ofLevel[index] ??= bar(index, level);
    return ofLevel[index];
  };
  made.bars.set(count, kept);
  return kept;
}

/** Bars are strokes with round ends; where few days make them wide, rectangles with round corners. */
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
