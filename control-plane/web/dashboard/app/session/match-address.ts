export type Parameters = Readonly<Record<string, string>>;

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

/** The query of an address: `#/monitors?q=shop`. */
export function queryOf(address: string): URLSearchParams {
  const start = address.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : address.slice(start));
}

/** The address with parameters set; an empty value removes its parameter. */
export function withQuery(address: string, changes: Readonly<Record<string, string>>): string {
  const query = queryOf(address);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return `${address.split('?')[0] ?? ''}${text === '' ? '' : `?${text}`}`;
}
