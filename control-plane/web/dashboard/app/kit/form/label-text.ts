/** `team=web, tier=1`. */
export function formatLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
}

/** `team=web, tier=1` as an object; a word without a value has an empty one. */
export function parseLabels(text: string): Record<string, string> {
  const pairs = text
    .split(/[,\n]/)
    .map(pair => pair.trim())
    .filter(Boolean);
  return Object.fromEntries(
    pairs.map(pair => {
      const at = pair.indexOf('=');
      return at < 0 ? [pair, ''] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
}
