import got from 'got';
import { ConfigError } from '#shared/env.ts';
import { type ServerReport, whyNotDurable } from './durability.ts';

const timeoutMs = 5000;

/**
 * Asks each server's monitoring address whether it writes to disk before it acknowledges. Throws a ConfigError if one
 * does not, or the client's error if it cannot be asked.
 */
export async function requireDurable(monitorUrls: readonly string[]): Promise<void> {
  for (const url of monitorUrls) {
    const options = { timeout: { request: timeoutMs }, retry: { limit: 0 } };
    const report = await got(`${url}/varz`, options).json<ServerReport>();
    const reason = whyNotDurable(report);
    if (reason !== null) throw new ConfigError(`${reason} (${new URL(url).host})`);
  }
}
