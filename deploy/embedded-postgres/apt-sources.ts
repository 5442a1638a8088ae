/** A Debian mirror from the machine's own apt configuration. */
export type Mirror = { uri: string; signedBy: string };

type Source = { uris: string[]; suites: string[]; components: string[]; signedBy: string | null; enabled: boolean };

const archiveKeyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** Reads one-line sources (`deb [options] uri suite components`); comments and `deb-src` are skipped. */
export function parseList(text: string): Source[] {
  return text.split('\n').flatMap(line => {
    const match = /^\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s*([^#]*)/.exec(line);
    if (match === null) return [];
    const [, options = '', uri = '', suite = '', components = ''] = match;
    const signedBy = /signed-by=(\S+)/i.exec(options)?.[1] ?? null;
    return [{ uris: [uri], suites: [suite], components: words(components), signedBy, enabled: true }];
  });
}

/** Reads deb822 sources: stanzas of `Field: value` with continuation lines. */
export function parseStanzas(text: string): Source[] {
  return text
    .replace(/^#.*\n?/gm, '')
    .split(/\n\s*\n/)
    .map(stanza => new Map([...stanza.matchAll(/^([\w-]+):((?:.*)(?:\n[ \t].*)*)/gm)].map(toField)))
    .filter(fields => words(fields.get('types') ?? '').includes('deb'))
    .map(fields => ({
      uris: words(fields.get('uris') ?? ''),
      suites: words(fields.get('suites') ?? ''),
      components: words(fields.get('components') ?? ''),
      signedBy: fields.get('signed-by')?.trim() ?? null,
      enabled: !/^(no|false)$/i.test(fields.get('enabled')?.trim() ?? 'yes'),
    }));
}

/**
 * The mirrors of Debian itself, most likely first. Vendors may use Debian's suite names too, but their signatures do
 * not match the archive keyring: a wrong candidate fails and the next is tried.
 */
export function debianMirrors(sources: readonly Source[], codename: string): Mirror[] {
  const suites = new Set([codename, 'stable', 'oldstable', 'bookworm', 'trixie']);
  const candidates = sources.filter(
    source => source.enabled && source.components.includes('main') && source.suites.some(suite => suites.has(suite)),
  );
  const uris = candidates
    .toSorted((left, right) => rank(left) - rank(right))
    .flatMap(source => source.uris)
    .filter(uri => !uri.startsWith('cdrom:'));
  return [...new Set(uris)].map(uri => ({ uri, signedBy: archiveKeyring }));
}

function rank({ signedBy, uris }: Source): number {
  if (signedBy?.includes('debian-archive')) return 0;
  if (signedBy !== null) return 2;
  return uris.some(uri => /\/debian\/?$/.test(uri)) ? 0 : 1;
}

function toField([, name = '', value = '']: RegExpMatchArray): [string, string] {
  return [name.toLowerCase(), value];
}

function words(text: string): string[] {
  return text.split(/\s+/).filter(word => word !== '');
}
