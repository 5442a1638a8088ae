/** The oldest server whose streams survive what our tests do to them. */
const versionMin = [2, 10, 27] as const;
/**
 * The oldest whose clusters elect no server that has yet to catch up. Of 2.10.27, three servers lost 2 of 524,000
 * acknowledged messages in our trials.
 */
const clusterVersionMin = [2, 12, 0] as const;

/** The part of a server's `/varz` that says whether what it acknowledges is on disk. */
export type ServerReport = {
  version?: unknown;
  jetstream?: { config?: { sync_always?: unknown } };
};

/** Pure: why a server may not be trusted with what we acknowledge, and what to do; null if it may. */
export function whyNotDurable(report: ServerReport): string | null {
  const version = typeof report.version === 'string' ? report.version : '';
  if (!isAtLeast(version, versionMin))
    return `the NATS server has version ${version || 'unknown'}: install ${versionMin.join('.')} or later`;
  if (report.jetstream?.config === undefined)
    return 'JetStream is not enabled on the NATS server: add a block "jetstream { … }" to its configuration';
  if (report.jetstream.config.sync_always !== true)
    return 'the NATS server acknowledges what is not on disk yet: set "sync_interval: always" in its jetstream block';
  return null;
}

/** Pure: what to know of a server that is one of a cluster; null if nothing. */
export function clusterWarning({ version }: ServerReport): string | null {
  if (typeof version !== 'string' || isAtLeast(version, clusterVersionMin)) return null;
  const risk = `a cluster of NATS ${version} can lose what it acknowledged when servers die in a row`;
  return `${risk}: install ${clusterVersionMin.join('.')} or later`;
}

function isAtLeast(version: string, least: readonly number[]): boolean {
  const parts = version.split(/[.-]/).map(Number);
  for (const [index, wanted] of least.entries()) {
    const part = parts[index] ?? Number.NaN;
    if (part !== wanted) return part > wanted;
  }
  return true;
}
