import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from './control-plane.ts';

/** Whether Debian's Caddy is installed. */
export function hasCaddy(): boolean {
  return spawnSync('caddy', ['version']).status === 0;
}

/** Caddy with a Caddyfile and an authority of its own, whose certificate `visit` trusts. It listens on loopback. */
export async function startCaddy(caddyfile: string, ports: { http: number; https: number }) {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-caddy-'));
  const file = join(folder, 'Caddyfile');
  const options = [
    'admin off',
    'local_certs',
    'skip_install_trust',
    'default_bind 127.0.0.1',
    `http_port ${ports.http}`,
    `https_port ${ports.https}`,
    `storage file_system ${folder}`,
  ];
  await writeFile(file, caddyfile.replace(/^\{$/m, ['{', ...options].join('\n\t')));
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  const child = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { stdio: 'ignore', env });
  const ended = new Promise(resolve => child.once('exit', resolve));
  const authority = join(folder, 'pki/authorities/local/root.crt');
  const ca = await until(
    () => readFile(authority, 'utf8').catch(() => ''),
    content => content.includes('END CERTIFICATE'),
  );
  return {
    /** Asks for a path at a host, as a browser would that has found the host here. Rejects without a certificate. */
    visit: (host: string, path: string) =>
      new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
        const at = { host: '127.0.0.1', port: ports.https, servername: host, ca, agent: false as const };
        get({ ...at, path, headers: { host, accept: 'text/html' } }, response => {
          const { statusCode: status, headers } = response;
          text(response).then(body => resolve({ status, headers, body }), reject);
        }).on('error', reject);
      }),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
