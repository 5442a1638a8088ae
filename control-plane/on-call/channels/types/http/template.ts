/** What a template is filled with: plain JSON. */
export type TemplateValues = Readonly<Record<string, unknown>>;

// A label's key may have dots: `labels["a.b"]`. In a template that was written as JSON its quotes may be escaped.
const key = String.raw`\[\\?["'][^"'\\\]]{1,200}\\?["']\]`;
const hole = new RegExp(String.raw`\{\{\s*([\w-]{1,200}(?:\.[\w-]{1,200}|${key})*)\s*(\|\s*json\s*)?\}\}`, 'g');

/** Where a value stands: within a string of JSON, as a value of JSON by itself, or in another text. */
type Place = 'string' | 'bare' | 'text';
/** `escaped`: a backslash stands before it, which would change what the value begins with. */
type Hole = { path: string; steps: readonly string[]; asJson: boolean; place: Place; escaped: boolean };

/**
 * The filled template. Of JSON every value is one wherever it stands: nothing is empty within a string and `null` by
 * itself. Once its values have more than `max` characters it is filled no further: it is too large.
 */
export function renderTemplate(
  template: string,
  contentType: string,
  values: TemplateValues,
  max = Number.POSITIVE_INFINITY,
): string {
  const write = escapeFor(contentType);
  let size = 0;
  return fill(template, contentType, ({ steps, asJson, place }) => {
    if (size > max) return '';
    const value = valueAt(values, steps);
    const text = asJson ? jsonText(value, place, write) : place === 'bare' ? bareText(value) : write(plainText(value));
    size += text.length;
    return text;
  });
}

/** Why a template cannot be filled. */
export class TemplateError extends Error {
  override name = 'TemplateError';
}

/**
 * Tries the template on every kind of message. Throws TemplateError, also if it would not always be JSON where it
 * should be: each value may be absent, and a text is none without quotes.
 */
export function checkTemplate(template: string, contentType: string, ...samples: readonly TemplateValues[]): void {
  const found: Hole[] = [];
  const skeleton = fill(template, contentType, one => {
    found.push(one);
    return one.place === 'bare' ? 'null' : '';
  });
  for (const { path, steps } of found)
    if (!samples.some(sample => Object.hasOwn(sample, steps[0] ?? '')))
      throw new TemplateError(`names \`${path}\`, which does not exist`);
  if (/\{\{/.test(template.replace(hole, ''))) throw new TemplateError('has braces that are no `{{path}}`');
  if (!isJson(contentType)) return;
  const escaped = found.find(one => one.escaped);
  if (escaped !== undefined)
    throw new TemplateError(`is not JSON when it is filled: a backslash stands before \`${escaped.path}\``);
  const unquoted = found.find(({ place, asJson, steps }) => place === 'bare' && !asJson && isText(steps, samples));
  if (unquoted !== undefined)
    throw new TemplateError(
      `is not JSON when it is filled: \`${unquoted.path}\` is a text and needs quotes or \`|json\``,
    );
  try {
    JSON.parse(skeleton);
  } catch {
    throw new TemplateError('is not JSON when it is filled');
  }
}

function isText(steps: readonly string[], samples: readonly TemplateValues[]): boolean {
  return steps.at(-2) === 'labels' || samples.some(sample => typeof valueAt(sample, steps) === 'string');
}

function fill(template: string, contentType: string, textOf: (hole: Hole) => string): string {
  const json = isJson(contentType);
  let isInString = false;
  let filled = '';
  let end = 0;
  for (const match of template.matchAll(hole)) {
    const literal = template.slice(end, match.index);
    const ending = endOf(literal, isInString);
    isInString = json && ending.inString;
    const place = !json ? 'text' : isInString ? 'string' : 'bare';
    const [, path = '', asJson] = match;
    filled +=
      literal +
      textOf({ path, steps: stepsOf(path), asJson: asJson !== undefined, place, escaped: json && ending.escaped });
    end = match.index + match[0].length;
  }
  return filled + template.slice(end);
}

/** Whether a text of JSON ends within a string, and there with a backslash that escapes what follows. */
function endOf(literal: string, before: boolean): { inString: boolean; escaped: boolean } {
  let inString = before;
  let index = 0;
  for (; index < literal.length; index++) {
    if (inString && literal[index] === '\\') index++;
    else if (literal[index] === '"') inString = !inString;
  }
  return { inString, escaped: index > literal.length };
}

function stepsOf(path: string): string[] {
  return [...path.matchAll(/\[\\?["']([^"'\\]+)\\?["']\]|[\w-]+/g)].map(([step, quoted]) => quoted ?? step);
}

function plainText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

function jsonText(value: unknown, place: Place, write: (text: string) => string): string {
  const text = JSON.stringify(value);
  return place === 'string' ? write(text) : text;
}

/** A text that is no value of JSON is written as a string: templates of before 0.7.7 may have one without quotes. */
function bareText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return /^(?:true|false|null|-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?)$/.test(value) ? value : JSON.stringify(value);
}

/** Null where the path ends in nothing: an alert without a region, say. */
function valueAt(values: TemplateValues, steps: readonly string[]): unknown {
  let value: unknown = values;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return null;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

export function isJson(contentType: string): boolean {
  return /^[^;]*[/+]json/i.test(contentType);
}

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** How a value is escaped: inside a string of JSON, in markup, in a form, or not at all in plain text. */
function escapeFor(contentType: string): (text: string) => string {
  if (isJson(contentType)) return text => JSON.stringify(text).slice(1, -1);
  if (/html|xml/i.test(contentType)) return text => text.replace(/[&<>"']/g, character => references[character] ?? '');
  if (isForm(contentType)) return text => encodeURIComponent(text.toWellFormed());
  return text => text;
}

export function isForm(contentType: string): boolean {
  return /x-www-form-urlencoded/i.test(contentType);
}
