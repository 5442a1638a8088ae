/** What a template is filled with: plain JSON. */
export type TemplateValues = Readonly<Record<string, unknown>>;

const hole = /\{\{\s*([\w.-]{1,200})\s*(\|\s*json\s*)?\}\}/g;

/** The filled template. Once its values have more than `max` characters it is filled no further: it is too large. */
export function renderTemplate(
  template: string,
  contentType: string,
  values: TemplateValues,
  max = Number.POSITIVE_INFINITY,
): string {
  const write = escapeFor(contentType);
  let size = 0;
  return template.replace(hole, (_, path: string, asJson: string | undefined) => {
    if (size > max) return '';
    const text = textOf(valueAt(values, path), asJson === undefined ? write : null);
    size += text.length;
    return text;
  });
}

function textOf(value: unknown, write: ((text: string) => string) | null): string {
  if (write === null) return JSON.stringify(value);
  return write(typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? ''));
}

/** Why a template cannot be filled. */
export class TemplateError extends Error {
  override name = 'TemplateError';
}

/** Fills the template with a sample. Throws TemplateError, also if the result is not JSON where it should be. */
export function checkTemplate(template: string, contentType: string, sample: TemplateValues): void {
  for (const [, path = ''] of template.matchAll(hole)) {
    const [root = ''] = path.split('.');
    if (!Object.hasOwn(sample, root)) throw new TemplateError(`names \`${path}\`, which does not exist`);
    valueAt(sample, path);
  }
  if (/\{\{/.test(template.replace(hole, ''))) throw new TemplateError('has braces that are no `{{path}}`');
  if (!isJson(contentType)) return;
  try {
    JSON.parse(renderTemplate(template, contentType, sample));
  } catch {
    throw new TemplateError('is not JSON when it is filled');
  }
}

/** Null where the path ends in nothing: an alert without a region, say. */
function valueAt(values: TemplateValues, path: string): unknown {
  let value: unknown = values;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return null;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

function isJson(contentType: string): boolean {
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
  if (/x-www-form-urlencoded/i.test(contentType)) return text => encodeURIComponent(text.toWellFormed());
  return text => text;
}
