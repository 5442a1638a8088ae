import type { Cell } from '../frame/table.ts';
import type { Ink } from '../frame/text.ts';

const inks: Readonly<Record<string, Ink>> = {
  up: 'green',
  ok: 'green',
  resolved: 'green',
  degraded: 'yellow',
  warn: 'yellow',
  acknowledged: 'yellow',
  undetermined: 'yellow',
  down: 'red',
  err: 'red',
  open: 'red',
  p1: 'red',
  investigating: 'red',
  identified: 'yellow',
  monitoring: 'yellow',
  paused: 'dim',
  pending: 'dim',
};

/** A state in the color that it has in the dashboard. */
export function stateCell(state: string): Cell {
  const ink = inks[state];
  return ink === undefined ? state : { text: state, ink };
}

/** Pure: `2026-11-26 21:04:05Z`; empty for none. */
export function timeText(at: string | null): string {
  return at === null ? '' : `${at.slice(0, 19).replace('T', ' ')}Z`;
}

/** Pure: `1 h 30 min`. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.round(hours / 24)} days`;
}
