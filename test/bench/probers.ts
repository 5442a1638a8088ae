import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatewaySecret } from '../support/gateway.ts';

const root = join(import.meta.dirname, '..', '..');
export const blackboxPort = 19_115;

/** An agent as its own process, fed by the gateway at `url`; it trusts `ca.pem` of `caFolder`. */
export function startAgentProcess(
  url: string,
  dataDir: string,
  children: ChildProcess[],
  caFolder: string | null = dataDir,
): ChildProcess {
  const child = spawn(process.execPath, [join(root, 'agent', 'main.ts')], {
    env: {
      PATH: process.env.PATH,
      CONTROL_PLANE_URL: url,
      AGENT_SECRET: gatewaySecret,
      DATA_DIR: dataDir,
      ADDRESS_POLICY: 'loopback',
      ...(caFolder === null ? {} : { EXTRA_CA_FILE: join(caFolder, 'ca.pem') }),
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  children.push(child);
  return child;
}

/**
 * Debian's prometheus-blackbox-exporter, whose module `same` looks for `needle` and trusts `caFile`; null if it is not
 * installed.
 */
export function startBlackbox(
  folder: string,
  needle: string,
  children: ChildProcess[],
  caFile: string | null = join(folder, 'ca.pem'),
): ChildProcess | null {
  const http = {
    preferred_ip_protocol: 'ip4',
    enable_http2: false,
    valid_status_codes: [200],
    fail_if_body_not_matches_regexp: [needle],
    ...(caFile === null ? {} : { tls_config: { ca_file: caFile } }),
  };
  return startBlackboxWith(folder, { same: { prober: 'http', timeout: '10s', http } }, children);
}

/** The same with modules of one's own. */
export function startBlackboxWith(folder: string, modules: object, children: ChildProcess[]): ChildProcess | null {
  if (blackboxVersion() === '') return null;
  const config = join(folder, 'blackbox.yml');
  writeFileSync(config, JSON.stringify({ modules }));
  const parameters = [`--config.file=${config}`, `--web.listen-address=127.0.0.1:${blackboxPort}`, '--log.level=error'];
  const child = spawn('prometheus-blackbox-exporter', parameters, { stdio: 'ignore' });
  children.push(child);
  return child;
}

export function blackboxVersion(): string {
  try {
    const text = execFileSync('prometheus-blackbox-exporter', ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return /version ([\d.]+)/.exec(text)?.[1] ?? 'unknown';
  } catch {
    return '';
  }
}
