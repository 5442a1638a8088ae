import got from 'got';
import { ConfigError } from '#shared/env.ts';
import { clusterWarning, type ServerReport, whyNotDurable } from './durability.ts';

const timeoutMs = 5000;

/**
 * Asks each server's monitoring address whether it writes to disk before it acknowledges. Throws a ConfigError if one
 * does not, or the client's error if it cannot be asked. Returns warnings of versions that are better not used in a
 * cluster.
 */
export async function requireDurable(monitorUrls: readonly string[]): Promise<string[]> {
  const warnings: string[] = [];
  for (const monitorUrl of monitorUrls) {
    const { username, password, protocol, host, pathname } = new URL(monitorUrl);
    // The client's errors name the address: without its credentials.
    const address = `${protocol}//${host}${pathname.replace(/\/$/, '')}/varz`;
    const credentials =
      username === '' ? {} : { username: decodeURIComponent(username), password: decodeURIComponent(password) };
    const options = { timeout: { request: timeoutMs }, retry: { limit: 0 }, ...credentials };
    const report = await got(address, options).json<ServerReport>();
    const reason = whyNotDurable(report);
    if (reason !== null) throw new ConfigError(`${reason} (${host})`);
    const warning = monitorUrls.length > 1 ? clusterWarning(report) : null;
    if (warning !== null) warnings.push(`${warning} (${host})`);
  }
  return warnings;
}
