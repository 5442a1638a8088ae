/** `12.5%`; a dash where there is nothing to divide by. */
export function formatShare(share: number | null): string {
  if (share === null) return '–';
  return share > 0 && share < 0.001 ? '< 0.1%' : `${(share * 100).toFixed(1).replace(/\.0$/, '')}%`;
}
