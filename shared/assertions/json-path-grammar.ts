/** What an operand may be used as. A singular query is all three, a literal only a value (RFC 9535, section 2.4.1). */
type Operand = { value: boolean; logical: boolean; nodes: boolean };
type Use = keyof Operand;

const functions = new Map<string, { takes: readonly Use[]; returns: Use }>([
  ['length', { takes: ['value'], returns: 'value' }],
  ['count', { takes: ['nodes'], returns: 'value' }],
  ['match', { takes: ['value', 'value'], returns: 'logical' }],
  ['search', { takes: ['value', 'value'], returns: 'logical' }],
  ['value', { takes: ['nodes'], returns: 'value' }],
]);

const S = '[ \\t\\n\\r]*';
const name = '[A-Za-z_\\x80-\\ud7ff\\ue000-\\u{10ffff}][\\w\\x80-\\ud7ff\\ue000-\\u{10ffff}]*';
const integer = '(?:0|-?[1-9]\\d*)';
const unicode = 'u(?:(?![Dd][89A-Fa-f])[\\dA-Fa-f]{4}|[Dd][89ABab][\\dA-Fa-f]{2}\\\\u[Dd][C-Fc-f][\\dA-Fa-f]{2})';
const character = `[^\\x00-\\x1f"'\\\\\\ud800-\\udfff]|\\\\(?:[bfnrt/\\\\]|${unicode})`;
const text = `"(?:${character}|'|\\\\")*"|'(?:${character}|"|\\\\')*'`;

/** The tokens of RFC 9535, with the blanks that may be around them. */
const tokens = {
  root: token('\\$'),
  current: token('[$@]'),
  member: token(`${S}\\.${name}`),
  shorthand: token(`${S}\\.(?:\\.?\\*|\\.${name})`),
  open: token(`${S}\\[${S}`),
  openDescendants: token(`${S}\\.\\.\\[${S}`),
  close: token(`${S}\\]`),
  comma: token(`${S},${S}`),
  slice: token(`(?:${integer}${S})?:${S}(?:${integer}${S})?(?::(?:${S}${integer})?)?`),
  key: token(`${text}|${integer}`),
  wildcard: token('\\*'),
  filter: token(`\\?${S}`),
  or: token(`${S}\\|\\|${S}`),
  and: token(`${S}&&${S}`),
  not: token(`!${S}`),
  group: token(`\\(${S}`),
  end: token(`${S}\\)`),
  comparison: token(`${S}(?:[=!<>]=|[<>])${S}`),
  literal: token(`${text}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[Ee][+-]?\\d+)?|true|false|null`),
  call: token(`[a-z][a-z_\\d]*\\(${S}`),
};

function token(source: string): RegExp {
  return new RegExp(source, 'uy');
}

/**
 * Whether a text is a well-formed and well-typed query by RFC 9535, but for the range of integers. Only the queries of
 * new assertions are checked: an agent runs all that the library accepts, so that a monitor goes on as it was stored.
 */
export function isStandardQuery(path: string): boolean {
  let position = 0;

  /** The text of the next token, or null if another one comes. */
  function take(pattern: RegExp): string | null {
    pattern.lastIndex = position;
    const [taken] = pattern.exec(path) ?? [null];
    position += taken?.length ?? 0;
    return taken;
  }

  const has = (pattern: RegExp) => take(pattern) !== null;

  function isList(separator: RegExp, isItem: () => boolean): boolean {
    do if (!isItem()) return false;
    while (has(separator));
    return true;
  }

  /** The segments of a query; null if one is malformed. */
  function segments(): { singular: boolean } | null {
    let singular = true;
    for (;;) {
      if (has(tokens.member)) continue;
      const single = has(tokens.open);
      if (!single && !has(tokens.openDescendants)) {
        if (!has(tokens.shorthand)) return { singular };
        singular = false;
        continue;
      }
      let keys = 0;
      let selectors = 0;
      const isSelector = () => {
        selectors++;
        if (has(tokens.slice) || has(tokens.wildcard)) return true;
        if (has(tokens.filter)) return isLogical();
        keys++;
        return has(tokens.key);
      };
      if (!isList(tokens.comma, isSelector) || !has(tokens.close)) return null;
      singular &&= single && keys === 1 && selectors === 1;
    }
  }

  function isLogical(): boolean {
    return isList(tokens.or, () => isList(tokens.and, isBasic));
  }

  /** A group, a comparison or a test. Of these only a comparison has no `!` before it. */
  function isBasic(): boolean {
    const negated = has(tokens.not);
    if (has(tokens.group)) return isLogical() && has(tokens.end);
    const left = operand();
    if (left === null || negated || !has(tokens.comparison)) return left?.logical ?? false;
    return left.value && (operand()?.value ?? false);
  }

  /** A literal, a query or the call of a function; null if it is none, or malformed. */
  function operand(): Operand | null {
    if (has(tokens.current)) {
      const query = segments();
      return query === null ? null : { value: query.singular, logical: true, nodes: true };
    }
    const called = take(tokens.call);
    if (called !== null) return call(called);
    return has(tokens.literal) ? { value: true, logical: false, nodes: false } : null;
  }

  function call(opening: string): Operand | null {
    const called = functions.get(opening.slice(0, opening.indexOf('(')));
    if (called === undefined) return null;
    const areArguments = called.takes.every(
      (use, index) => (index === 0 || has(tokens.comma)) && (operand()?.[use] ?? false),
    );
    if (!areArguments || !has(tokens.end)) return null;
    return { value: called.returns === 'value', logical: called.returns === 'logical', nodes: false };
  }

  return has(tokens.root) && segments() !== null && position === path.length;
}
