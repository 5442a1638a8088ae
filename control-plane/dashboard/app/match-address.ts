import type { Parameters } from './view.ts';

/** The parameters of an address that has the form of the pattern, such as `#/monitors/{id}`; null if it has not. */
export function matchAddress(pattern: string, address: string): Parameters | null {
  const parts = pattern.split('/');
  const steps = (address.split('?')[0] ?? '').split('/');
  if (parts.length !== steps.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const step = steps[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined ? part !== step : !/^\w+$/.test(step)) return null;
    if (name !== undefined) parameters[name] = step;
  }
  return parameters;
}

/** Whether a navigation entry leads to the address or to a page above it. */
export function isWithin(pattern: string, address: string): boolean {
  return address === pattern || address.startsWith(`${pattern}/`) || address.startsWith(`${pattern}?`);
}
