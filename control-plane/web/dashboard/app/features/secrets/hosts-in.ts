/** The hosts in a text, separated by commas or blanks; null for none, which allows all. */
export function hostsIn(text: string): string[] | null {
  const hosts = text.split(/[\s,]+/).filter(host => host !== '');
  return hosts.length === 0 ? null : hosts;
}
