/** Matches what XML 1.0 excludes and HTML cannot show: control characters but tab and line ends, lone surrogates. */
const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const special = /[&<>"']/g;
/** Printable ASCII without the special characters: most text, found at less than half the cost of replacing nothing. */
const plain = /^[\t\n\r !#-%(-;=?-~]*$/;
const references: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text without the characters that no HTML or XML document may contain. */
export function allowedText(text: string): string {
  return text.replace(forbidden, '');
}

/** A line without the characters that would turn round the words after it. */
export function lineText(text: string): string {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
}

/** Escapes for HTML and XML, between tags and in quoted attributes. Templates do not need it: see `html`. */
export function escapeText(text: string): string {
  if (plain.test(text)) return text;
  return allowedText(text).replace(special, character => references[character] ?? '');
}

/** Encodes one segment of a path, or a fragment. */
export function pathPart(text: string): string {
  return encodeURIComponent(allowedText(text)).replaceAll("'", '%27');
}

/** JSON that no browser can mistake for HTML and that may be embedded in a script. */
export function toSafeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A normalized http or https address that is safe as the target of a link; null for everything else. */
export function webAddress(text: string): string | null {
  if (!/^https?:\/\//i.test(text)) return null;
  return URL.parse(text)?.href ?? null;
}
