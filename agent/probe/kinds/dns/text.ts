import ipaddr from 'ipaddr.js';

/** Bytes of a label as in a zone file, in lower case: what has a meaning there is escaped, other bytes are `\DDD`. */
export function labelText(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  return (/^[\w-]+$/.test(text) ? text : text.replace(/[^!#%&'*+,\-/\w:<=>?[\]^`{|}~]/g, escapeInLabel)).toLowerCase();
}

/** A character string as in a zone file. */
export function quoted(bytes: Buffer): string {
  return `"${bytes.toString('latin1').replace(/[^ !#-[\]-~]/g, escapeQuoted)}"`;
}

/** Sixteen bytes as RFC 5952 has it. */
export function ip6Text(bytes: Buffer): string {
  return new ipaddr.IPv6([...bytes]).toString();
}

function escapeInLabel(character: string): string {
  return /[".$();@\\]/.test(character) ? `\\${character}` : decimal(character);
}

function escapeQuoted(character: string): string {
  return character === '"' || character === '\\' ? `\\${character}` : decimal(character);
}

function decimal(character: string): string {
  return `\\${String(character.charCodeAt(0)).padStart(3, '0')}`;
}
