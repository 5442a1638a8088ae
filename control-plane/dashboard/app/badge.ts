import { type Content, type Description, element } from './element.ts';

/** Colour, shape and word always stand together, so that none of them is needed alone. */
export type Look = { tone: Tone; shape: Shape; word: string };
export type Tone = 'good' | 'warn' | 'bad' | 'unknown' | 'quiet' | 'info';
export type Shape = keyof typeof shapes;

const shapes = {
  check: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Zm3.2 4.3L7 9.5 4.9 7.4 3.8 8.5 7 11.7l5.3-5.3Z',
  triangle: 'M8 1 16 15H0ZM7.1 6l.2 4.4h1.4L8.9 6Zm.9 5.4a.9.9 0 1 0 0 1.8.9.9 0 0 0 0-1.8Z',
  cross:
    'M5 0h6l5 5v6l-5 5H5l-5-5V5Zm-.2 5.9L6.9 8l-2.1 2.1 1.1 1.1L8 9.1l2.1 2.1 1.1-1.1L9.1 8l2.1-2.1-1.1-1.1L8 6.9 5.9 4.8Z',
  question:
    'M8 0l8 8-8 8-8-8Zm-2.4 6.2h1.5c0-.5.3-.9.9-.9.5 0 .9.3.9.8 0 .9-1.6 1-1.6 2.6h1.4c0-1.1 1.7-1.2 1.7-2.7 0-1.2-1-1.9-2.3-1.9-1.5 0-2.4.9-2.5 2.1ZM8 9.7a.9.9 0 1 0 0 1.8.9.9 0 0 0 0-1.8Z',
  ring: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Zm0 2a5 5 0 1 0 0 10A5 5 0 0 0 8 3Z',
  bars: 'M2 1h4v14H2ZM10 1h4v14h-4Z',
  eye: 'M8 3c4 0 7 3.5 8 5-1 1.500-4 5-8 5S1 9.500 0 8c1-1.500 4-5 8-5Zm0 2a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z',
  gear: 'M6.500 0h3l.4 2 1.500.8 1.900-.8 1.500 2.600-1.500 1.300v1.700l1.500 1.300-1.500 2.600-1.900-.8-1.500.8-.4 2h-3l-.4-2-1.500-.8-1.900.8L1.200 9.100l1.500-1.300V6.100L1.200 4.800l1.500-2.600 1.900.8 1.500-.8ZM8 5.200A2.800 2.800 0 1 0 8 10.800 2.800 2.800 0 0 0 8 5.200Z',
} as const;

export function shape(name: Shape): Description {
  const path = element('path', { d: shapes[name], 'fill-rule': 'evenodd' });
  return element('svg', { class: 'shape', viewBox: '0 0 16 16', 'aria-hidden': 'true' }, path);
}

export function badge({ tone, shape: name, word }: Look, ...more: Content[]): Description {
  return element('span', { class: `badge ${tone}` }, shape(name), element('span', {}, word), more);
}
