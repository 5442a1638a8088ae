import { errorsMax, type FieldError } from '../problem.ts';
import { cleanText } from './read-body.ts';
import { pointerTo } from './unknown-fields.ts';

/** Control characters but tab and line ends, and halves of a character that UTF-8 cannot encode. */
function isUnclean(text: string): boolean {
  return /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/.test(text) || !text.isWellFormed();
}

/**
 * Errors of the texts and keys in a body that hold control characters. A configuration is refused with them: replacing
 * them would change what is checked or sent, and nobody would see why.
 */
export function controlCharacterErrors(body: unknown): FieldError[] {
  const errors: FieldError[] = [];
  visit(body, [], errors);
  return errors;
}

function visit(value: unknown, path: readonly string[], errors: FieldError[]): void {
  if (errors.length >= errorsMax) return;
  const refuse = (at: readonly string[], detail: string) => {
    if (errors.length < errorsMax) errors.push({ pointer: pointerTo(at), code: 'format', detail });
  };
  if (typeof value === 'string' && isUnclean(value)) refuse(path, 'must not contain control characters');
  if (typeof value !== 'object' || value === null) return;
  for (const [name, item] of Object.entries(value)) {
    // The other errors of a body name its keys as they are after cleaning.
    const at = [...path, cleanText(name)];
    if (isUnclean(name)) refuse(at, 'must not contain control characters in its key');
    visit(item, at, errors);
  }
}
