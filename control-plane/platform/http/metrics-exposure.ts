import { isLocalName } from '#shared/network/local-name.ts';

type Listening = { host: string; publicUrl: string; trustedProxies: readonly unknown[] };

/**
 * Why others than this machine may read /metrics without a token; null if nothing suggests it. Who listens on loopback
 * for a public address has a proxy on this machine. Its clients choose the name in `Host`, so that only a forwarding
 * header tells their requests from the machine's own; a proxy that is trusted sets one.
 */
export function metricsExposure({ host, publicUrl, trustedProxies }: Listening): string | null {
  if (!isLocalName(host) || isLocalName(new URL(publicUrl).hostname) || trustedProxies.length > 0) return null;
  return (
    'PUBLIC_URL is not on this machine and TRUSTED_PROXIES is not set: unless the proxy on this machine sets ' +
    'X-Forwarded-For, anybody can read /metrics through it'
  );
}
