/** An instant as people read it, in whole seconds: 2026-11-21 14:03:00 UTC. */
export function utcText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
