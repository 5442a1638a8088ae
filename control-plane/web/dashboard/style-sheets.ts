import { glob } from 'node:fs/promises';
import { dirname } from 'node:path';

/** In the order of the cascade: what a view stands in comes before the view. */
const frame = [
  'kit/styles/base.css',
  'shell/shell.css',
  'kit/styles/page.css',
  'kit/styles/cards.css',
  'kit/styles/states.css',
  'kit/plot/plot.css',
  'kit/styles/buttons.css',
  'kit/form/fields.css',
  'kit/dialog/dialog.css',
  'kit/styles/text.css',
  'kit/styles/rows.css',
  'kit/form/editor.css',
  'shell/sign-in.css',
];

/** The style sheets below `app`, in the order of the cascade. A feature's sheet comes before those of its folders. */
export async function styleSheetsOf(app: string): Promise<string[]> {
  const ofFeatures = await Array.fromAsync(glob('features/**/*.css', { cwd: app }));
  const byFolder = (left: string, right: string) => compare(dirname(left), dirname(right)) || compare(left, right);
  return [...frame, ...ofFeatures.toSorted(byFolder)];
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
