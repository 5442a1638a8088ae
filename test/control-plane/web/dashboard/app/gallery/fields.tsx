import { useState } from 'preact/hooks';
import { ChoiceControl, type Field, LineControl } from '#control-plane/web/dashboard/app/kit/form/controls.tsx';
import { useFields } from '#control-plane/web/dashboard/app/kit/form/fields.tsx';
import { Filter } from '#control-plane/web/dashboard/app/kit/form/filter.tsx';
import { MarkdownField } from '#control-plane/web/dashboard/app/kit/form/markdown-field.tsx';
import { PickMany } from '#control-plane/web/dashboard/app/kit/form/pick-many.tsx';
import { ApiProblem } from '#control-plane/web/dashboard/app/session/api.ts';

const errors = ['wrong', 'wrong-choice'].map(name => ({
  pointer: `/${name}`,
  code: 'format',
  detail: 'must be a colour',
}));
const refused = { problem: new ApiProblem(422, { errors }), shown: new Set<string>() };

/** A field that the API refused. */
function refusedField(name: string, value: string): Field<string> {
  return { form: refused, id: name, at: name, value, set: () => undefined };
}

const choices = [
  ['a', 'The first'],
  ['b', 'The second'],
] as const;
const many = Array.from({ length: 60 }, (_, index) => [`m${index}`, `Monitor ${index + 1}`] as const);
const text = '**Payments** fail for some cards.\n\n- We know the cause.\n- A fix is [on its way](https://up.example/).';

/** Everything that is typed into or chosen from. */
export function Fields() {
  const [picked, setPicked] = useState<readonly string[]>(['m3', 'm40']);
  const form = useFields({
    text: '',
    choice: 'a',
    disabled: 'not now',
    area: '',
    markdown: text,
    isSo: true,
    few: ['a'],
  });
  return (
    <div class="card">
      <div class="pair">
        <form.Line name="text" label="Text" hint="With a hint." input={{ placeholder: 'a placeholder' }} />
        <LineControl field={refusedField('wrong', 'red')} label="Refused" />
        <form.Choice name="choice" label="Choice" choices={choices} />
        <ChoiceControl field={refusedField('wrong-choice', 'b')} label="Refused choice" choices={choices} />
        <form.Line name="disabled" label="Disabled" input={{ disabled: true }} />
      </div>
      <form.Lines name="area" label="Long text" rows={3} />
      <MarkdownField field={form.text('markdown')} label="Markdown" rows={6} />
      <form.Check name="isSo" label="Yes or no" hint="With a hint." />
      <form.Checks name="few" legend="Some of a few" choices={choices} />
      <PickMany legend="Some of many" choices={many} picked={picked} onChange={setPicked} />
      <div class="filters">
        <Filter label="State" value="a" choices={choices} onChange={() => undefined} />
        <input type="search" aria-label="Search" placeholder="Search" />
      </div>
      <progress aria-label="Progress" max={10} value={4} />
    </div>
  );
}
