const codingNames: Readonly<Record<string, string>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'Brotli',
  zstd: 'Zstandard',
};

/** How people call a content coding, after "is not valid". */
export function codingName(coding: string | null): string {
  return codingNames[coding ?? ''] ?? 'for its encoding';
}
