const names = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-type',
  'user-agent',
  'origin',
  'referer',
]);

/** Pure: whether a header is one whose value is never a secret. */
export function isPublicHeader(name: string): boolean {
  return names.has(name.toLowerCase());
}
