/** What XML 1.0 allows and HTML can show: no control characters but tab and line ends, no lone surrogates. */
const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const special = /[&<>"']/g;
const references: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text without the characters that no document may hold. */
export function allowedText(text: string): string {
  return text.replace(forbidden, '');
}

/** For HTML and XML, between tags and in quoted attributes. */
export function escapeText(text: string): string {
  return allowedText(text).replace(special, character => references[character] ?? '');
}

/** One part of a path or a fragment. */
export function pathPart(text: string): string {
  return encodeURIComponent(allowedText(text)).replaceAll("'", '%27');
}

/** JSON that stays text even where a browser takes it for HTML or a script holds it. */
export function toSafeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** An address that a click may follow, or null. */
export function webAddress(text: string): string | null {
  if (!/^https?:\/\//i.test(text)) return null;
  return URL.parse(text)?.href ?? null;
}
