import { useState } from 'preact/hooks';
import { Choose, Line, Lines } from '#control-plane/web/dashboard/app/kit/form/controlled.tsx';
import { Boxes, Choice, Filter, TextArea, TextField } from '#control-plane/web/dashboard/app/kit/form/form.tsx';
import { MarkdownField } from '#control-plane/web/dashboard/app/kit/form/markdown-field.tsx';
import { PickMany } from '#control-plane/web/dashboard/app/kit/form/pick-many.tsx';
import type { Action } from '#control-plane/web/dashboard/app/session/action.ts';
import { ApiProblem } from '#control-plane/web/dashboard/app/session/api.ts';

const errors = ['wrong', 'wrong-choice'].map(name => ({
  pointer: `/${name}`,
  code: 'format',
  detail: 'must be a colour',
}));
const idle: Action = { running: false, problem: null, run: async () => true, clear: () => undefined };
const refused: Action = { ...idle, problem: new ApiProblem(422, { errors }) };
const choices = [
  ['a', 'The first'],
  ['b', 'The second'],
] as const;
const many = Array.from({ length: 60 }, (_, index) => [`m${index}`, `Monitor ${index + 1}`] as const);
const text = '**Payments** fail for some cards.\n\n- We know the cause.\n- A fix is [on its way](https://up.example/).';

/** Everything that is typed into or chosen from. */
export function Fields() {
  const [value, setValue] = useState('typed');
  const [picked, setPicked] = useState<readonly string[]>(['m3', 'm40']);
  return (
    <div class="card">
      <div class="pair">
        <TextField
          label="Text"
          name="text"
          action={idle}
          hint="With a hint."
          input={{ placeholder: 'a placeholder' }}
        />
        <TextField label="Refused" name="wrong" action={refused} value="red" />
        <Choice label="Choice" name="choice" action={idle} value="a" choices={choices} />
        <Choice label="Refused choice" name="wrong-choice" action={refused} value="b" choices={choices} />
        <Line label="Kept by the view" name="value" action={idle} value={value} onText={setValue} />
        <Choose label="Chosen" name="value-choice" action={idle} value="b" onText={setValue} choices={choices} />
        <TextField label="Disabled" name="disabled" action={idle} value="not now" input={{ disabled: true }} />
      </div>
      <TextArea label="Long text" name="area" action={idle} rows={3} />
      <Lines
        label="Long text, kept by the view"
        name="value-area"
        action={idle}
        value={value}
        onText={setValue}
        rows={2}
      />
      <MarkdownField label="Markdown" name="markdown" action={idle} rows={6} value={text} />
      <Boxes legend="Some of a few" name="boxes" choices={choices} checked={['a']} />
      <Boxes legend="Of none" name="none" choices={[]} checked={[]} empty="There is nothing to choose from." />
      <PickMany legend="Some of many" choices={many} picked={picked} onChange={setPicked} />
      <div class="filters">
        <Filter label="State" value="a" choices={choices} onChange={() => undefined} />
        <input type="search" aria-label="Search" placeholder="Search" />
      </div>
      <progress aria-label="Progress" max={10} value={4} />
    </div>
  );
}
