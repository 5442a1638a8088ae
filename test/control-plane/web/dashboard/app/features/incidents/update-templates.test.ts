import test from 'ava';
import { updatePostSchema } from '#control-plane/publishing/incidents/incident.ts';
import { joinNames, templatesFor } from '#control-plane/web/dashboard/app/features/incidents/update-templates.ts';

test('names stand in templates as they are, whatever their characters', t => {
  for (const name of ['Payments', 'A $& B', 'Cash $$ desk', "it's $1 $' $`", '*starred*']) {
    const escaped = joinNames([name]);
    for (const { text } of templatesFor([name])) {
      t.true(text.includes(escaped), text);
      t.false(text.includes('{what}'), text);
    }
  }
});

test('templates are updates that the API takes, and names in them are no Markdown', t => {
  for (const names of [[], ['A'], ['A', 'B', 'C_*d*']])
    for (const { state, text } of templatesFor(names))
      t.true(updatePostSchema.safeParse({ state, body: text }).success);
  t.is(joinNames(['A', 'B', 'C_d']), 'A, B and C\\_d');
  t.is(joinNames([]), 'our service');
});
