import { prefersType } from '../../../platform/http/prefers-type.ts';

const svg = ['image/svg+xml', 'image/*', '*/*'];
const json = ['application/json', 'application/*', '*/*'];

/** True if an `Accept` header asks for SVG rather than JSON. */
export function prefersSvg(header: string): boolean {
  return prefersType(header, svg, json);
}
