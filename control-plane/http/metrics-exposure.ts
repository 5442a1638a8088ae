type Listening = { host: string; publicUrl: string; trustedProxies: readonly unknown[] };

/**
 * Why others than this machine may read /metrics without a token; null if nothing suggests it. Who listens on loopback
 * for a public address has a proxy on this machine. Its clients choose the name in `Host`, so that only a forwarding
 * header tells their requests from the machine's own; a proxy that is trusted sets one.
 */
export function metricsExposure({ host, publicUrl, trustedProxies }: Listening): string | null {
  if (!isLocal(host) || isLocal(new URL(publicUrl).hostname) || trustedProxies.length > 0) return null;
  return (
    'PUBLIC_URL is not on this machine and TRUSTED_PROXIES is not set: unless the proxy on this machine sets ' +
    'X-Forwarded-For, anybody can read /metrics through it'
  );
}

/** Whether a host can only be reached from this machine. */
function isLocal(host: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|::1|\[::1\])$/.test(host);
}
