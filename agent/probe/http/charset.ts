/** Where a document may declare its encoding: the first bytes, as browsers read them. */
const declaredWithin = 1024;
const htmlType = /^\s*text\/html\s*(?:;|$)/i;
const xmlType = /^\s*(?:(?:text|application)\/xml|[^\s;]+\+xml)\s*(?:;|$)/i;
const xmlDeclaration = /^<\?xml[\t\n\r ][^>]*?[\t\n\r ]encoding[\t\n\r ]*=[\t\n\r ]*(?:"([^">]*)"|'([^'>]*)')/;
const declaredInContent = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"'][^\t\n\f\r ;]*))/i;

/**
 * Decodes a body by its byte order mark, else by the charset of its header, else as the document declares: HTML by the
 * HTML standard, XML by its declaration, and a body of unknown type that begins like markup by either. Else as UTF-8.
 */
export function decodeText(bytes: Buffer, contentType: string | undefined): string {
  const encoding = encodingOfMark(bytes) ?? encodingOfHeader(contentType) ?? encodingOfDocument(bytes, contentType);
  return encoding === null || encoding === 'utf-8'
    ? bytes.toString('utf8').replace(/^\uFEFF/, '')
    : new TextDecoder(encoding).decode(bytes);
}

function encodingOfMark(bytes: Buffer): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null;
}

function encodingOfHeader(contentType: string | undefined): string | null {
  const [, quoted, plain] = /;\s*charset\s*=\s*(?:"([^"]*)"|'?([^\s;"',]+))/i.exec(contentType ?? '') ?? [];
  return encodingOf(quoted ?? plain);
}

function encodingOfDocument(bytes: Buffer, contentType: string | undefined): string | null {
  const start = bytes.toString('latin1', 0, declaredWithin);
  const isUnknown = (contentType ?? '').trim() === '' && start.trimStart().startsWith('<');
  const isHtml = isUnknown || htmlType.test(contentType ?? '');
  if (!isHtml && !xmlType.test(contentType ?? '')) return null;
  return encodingOfWideXml(start) ?? (isHtml ? encodingOfMeta(start) : null) ?? encodingOfXml(start);
}

/** XML in UTF-16 without a byte order mark. */
function encodingOfWideXml(start: string): string | null {
  if (start.startsWith('<\0?\0x\0')) return 'utf-16le';
  return start.startsWith('\0<\0?\0x') ? 'utf-16be' : null;
}

function encodingOfXml(start: string): string | null {
  const [, quoted, single] = xmlDeclaration.exec(start) ?? [];
  return declared(quoted ?? single);
}

const comment = /<!--(?:>|->|[\s\S]*?-->|[\s\S]*$)/y;
const tag = /<\/?([a-z][^\t\n\f\r />]*)/iy;
const otherMarkup = /<[!/?][^>]*/y;
const value = /"([^"]*)(?:"|$)|'([^']*)(?:'|$)|([^\t\n\f\r >"'][^\t\n\f\r >]*)/;
const attribute = new RegExp(
  `[\\t\\n\\f\\r /]*([^\\t\\n\\f\\r />][^\\t\\n\\f\\r />=]*)(?:[\\t\\n\\f\\r ]*=[\\t\\n\\f\\r ]*(?:${value.source})?)?`,
  'y',
);

/** The encoding of the first `<meta>` that declares one, in the beginning of a page. */
function encodingOfMeta(start: string): string | null {
  let at = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const taken = pattern.exec(start);
    if (taken !== null) at = pattern.lastIndex;
    return taken;
  };
  while (at < start.length) {
    if (start[at] !== '<' || take(comment) !== null) {
      const next = start.indexOf('<', at);
      if (next < 0) return null;
      at = next;
      continue;
    }
    const [opening, name = ''] = take(tag) ?? [];
    if (opening === undefined) {
      if (take(otherMarkup) === null) at += 1;
      continue;
    }
    const attributes = new Map<string, string>();
    for (let found = take(attribute); found !== null; found = take(attribute)) {
      const [, attributeName = '', quoted, single, plain] = found;
      const folded = attributeName.toLowerCase();
      if (!attributes.has(folded)) attributes.set(folded, quoted ?? single ?? plain ?? '');
    }
    const encoding =
      opening.startsWith('</') || name.toLowerCase() !== 'meta' ? null : encodingOfAttributes(attributes);
    if (encoding !== null) return encoding;
  }
  return null;
}

function encodingOfAttributes(attributes: ReadonlyMap<string, string>): string | null {
  const charset = attributes.get('charset');
  if (charset !== undefined) return declared(charset);
  if (attributes.get('http-equiv')?.toLowerCase() !== 'content-type') return null;
  const [, quoted, single, plain] = declaredInContent.exec(attributes.get('content') ?? '') ?? [];
  return declared(quoted ?? single ?? plain);
}

/** A document whose declaration could be read as ASCII is not in UTF-16, whatever it declares. */
function declared(label: string | undefined): string | null {
  const encoding = encodingOf(label);
  if (encoding === 'x-user-defined') return 'windows-1252';
  return encoding?.startsWith('utf-16') ? 'utf-8' : encoding;
}

/** The encoding of a label of the WHATWG's list; null if it is unknown or cannot be decoded. */
function encodingOf(label: string | undefined): string | null {
  if (label === undefined) return null;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}
