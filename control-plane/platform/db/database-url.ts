/**
 * The parts of a PostgreSQL URL; null if it is none. A URL may name a socket's folder instead of a host, as in
 * `postgresql://user:password@/database?host=/run/postgresql`, which `URL` cannot read.
 */
export function parseDatabaseUrl(text: string): { place: string; isRemote: boolean; sslMode: string | null } | null {
  const withHost = text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=[/?#]|$)/, '$1localhost');
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(withHost)) return null;
  const url = new URL(withHost);
  const given = url.searchParams.get('host');
  const host = given ?? url.hostname;
  const isLocal = host === '' || host.startsWith('/') || /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);
  const server = given ?? (withHost === text ? url.host : '');
  return {
    place: `${url.protocol}//${server}${url.pathname}`,
    isRemote: !isLocal,
    sslMode: url.searchParams.get('sslmode') ?? (url.searchParams.has('ssl') ? 'require' : null),
  };
}

/** Whether the password and all data would cross a network unencrypted. */
export function isPlainRemote(text: string): boolean {
  const parsed = parseDatabaseUrl(text);
  return parsed?.isRemote === true && [null, 'disable', 'allow', 'prefer'].includes(parsed.sslMode);
}
