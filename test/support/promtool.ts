import { spawnSync } from 'node:child_process';

/** Whether Prometheus' own checker is installed. */
export function hasPromtool(): boolean {
  return spawnSync('promtool', ['--version']).status === 0;
}

/** Runs promtool. Returns its exit code and what it says. */
export function promtool(args: readonly string[], input = ''): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', [...args], { input, encoding: 'utf8' });
  return { code: status, output: `${stdout}${stderr}` };
}
