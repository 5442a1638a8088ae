/** What a selector looks at, as the contract names it. */
export type LabelledMonitor = { id: string; name: string; kind: string; labels: Record<string, string> };

const key = `(?:[a-z][a-z0-9_.-]{0,62}(?![a-z0-9_.-])|@id|@name|@kind)`;
const text = String.raw`"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"`;
const value = `(?:[A-Za-z0-9_.:/+-]+|${text})`;
const b = String.raw`[ \t]*`;
const blanks = String.raw`[ \t]+`;

/** The forms of a term, and what each says about the value of its key; undefined: the key is missing. */
const forms: [RegExp, (found: string | undefined, values: string[]) => boolean][] = [
  [new RegExp(`^!${b}(?<key>${key})$`), found => found === undefined],
  [
    new RegExp(`^(?<key>${key})${blanks}in${blanks}\\(${b}(?<values>${value}(?:${b},${b}${value})*)${b}\\)$`),
    (found, values) => found !== undefined && values.includes(found),
  ],
  [
    new RegExp(`^(?<key>${key})${blanks}notin${blanks}\\(${b}(?<values>${value}(?:${b},${b}${value})*)${b}\\)$`),
    (found, values) => found === undefined || !values.includes(found),
  ],
  [new RegExp(`^(?<key>${key})${b}!=${b}(?<values>${value})$`), (found, [only]) => found !== only],
  [new RegExp(`^(?<key>${key})${b}==?${b}(?<values>${value})$`), (found, [only]) => found === only],
  [new RegExp(`^(?<key>${key})$`), found => found !== undefined],
];

/**
 * Whether the contract's section 1 lets a selector match a monitor; null if its grammar does not allow the selector.
 * Written from the contract alone: no code is shared with what it is compared with.
 */
export function judgeSelector(selector: string, monitor: LabelledMonitor): boolean | null {
  if (selector.length < 1 || selector.length > 1000) return null;
  if (/^[ \t]*\*[ \t]*$/.test(selector)) return true;
  const terms = splitTerms(selector);
  if (terms.length > 20) return null;
  const results = terms.map(term => judgeTerm(term.replaceAll(/^[ \t]+|[ \t]+$/g, ''), monitor));
  return results.includes(null) ? null : !results.includes(false);
}

function judgeTerm(term: string, monitor: LabelledMonitor): boolean | null {
  for (const [form, holds] of forms) {
    const { key: name, values: list = '' } = form.exec(term)?.groups ?? {};
    if (name === undefined) continue;
    const values = (list.match(new RegExp(value, 'g')) ?? []).map(item =>
      item.startsWith('"') ? (JSON.parse(item) as string) : item,
    );
    if (values.length > 50 || values.some(item => item.length > 200 || /\p{Cc}/u.test(item))) return null;
    return holds(look(name, monitor), values);
  }
  return null;
}

function look(name: string, { id, name: title, kind, labels }: LabelledMonitor): string | undefined {
  return new Map(Object.entries({ ...labels, '@id': id, '@name': title, '@kind': kind })).get(name);
}

/** Splits at commas that are neither in brackets nor in a JSON string. */
function splitTerms(selector: string): string[] {
  const terms = [''];
  let depth = 0;
  for (const part of selector.match(/"(?:[^"\\]|\\.)*"|[\s\S]/g) ?? []) {
    if (part === '(') depth += 1;
    if (part === ')') depth -= 1;
    if (part === ',' && depth === 0) terms.push('');
    else terms.push(`${terms.pop()}${part}`);
  }
  return terms;
}
