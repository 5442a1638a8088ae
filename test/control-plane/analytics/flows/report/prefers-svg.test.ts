import test from 'ava';
import { prefersSvg } from '#control-plane/analytics/flows/report/prefers-svg.ts';

const cases: [header: string, isSvg: boolean][] = [
  ['image/svg+xml', true],
  ['IMAGE/SVG+XML ; q=0.5', true],
  ['image/svg+xml,*/*', true],
  ['image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8', true],
  ['image/*', true],
  ['image/svg+xml, application/json', true],
  ['text/html, image/svg+xml;q=0.9, */*;q=0.1', true],
  ['application/json, image/svg+xml', false],
  ['application/json, image/svg+xml;q=0.1', false],
  ['application/json, image/svg+xml;q=0', false],
  ['image/svg+xml;q=0, */*', false],
  ['image/svg+xml;q=0', false],
  ['image/svg+xml;q=2', false],
  ['*/*', false],
  ['text/html, */*;q=0.8', false],
  ['', false],
  ['image/svg+xmlx', false],
  [`${'image/svg+xml;q=0,'.repeat(10_000)}image/svg+xml`, false],
];
for (const [header, isSvg] of cases)
  test(`${isSvg ? 'SVG' : 'JSON'} for ${header.slice(0, 60)}`, t => t.is(prefersSvg(header), isSvg));
