import { spawnSync } from 'node:child_process';

/** Debian's package prometheus has it. */
export const promtoolPath = '/usr/bin/promtool';

/** What `promtool check metrics` has to say about metrics in the text format; empty if they are clean. */
export function checkMetrics(text: string): string {
  const { status, stdout, stderr } = spawnSync(promtoolPath, ['check', 'metrics'], { input: text, encoding: 'utf8' });
  return `${stdout}${stderr}${status === 0 ? '' : `exit ${status}`}`.trim();
}
