import test from 'ava';
import { componentPatchSchema, componentPostSchema } from '#control-plane/monitoring/components/component.ts';
import { lineSchema } from '#control-plane/platform/http/line.ts';

const lines: [text: string, result: string | null][] = [
  ['API', 'API'],
  ['  API  ', 'API'],
  ['日本語 🔥', '日本語 🔥'],
  ['abcde', 'abcde'],
  ['', null],
  ['   ', null],
  ['abcdef', null],
  ['a\nb', null],
  ['a\u0007', null],
  ['a\u0085b', null],
];
for (const [text, result] of lines)
  test(`${JSON.stringify(text)} ${result === null ? 'is not' : 'is'} a line of five characters`, t => {
    const parsed = lineSchema(5).safeParse(text);
    t.is(parsed.success ? parsed.data : null, result);
  });

test('a new component has defaults for all but its name and its page', t => {
  t.deepEqual(componentPostSchema.parse({ status_page_id: 'sp_1', name: 'API' }), {
    status_page_id: 'sp_1',
    name: 'API',
    description: '',
    group: null,
    position: null,
    status: 'operational',
    monitor_ids: [],
    monitor_selector: null,
    show_uptime: true,
  });
});

test('a patch has no defaults, so that it changes only what it names', t => {
  t.deepEqual(componentPatchSchema.parse({}), {});
  t.deepEqual(componentPatchSchema.parse({ group: null }), { group: null });
});

const refused: [what: string, fields: object][] = [
  ['a monitor given twice', { monitor_ids: ['mon_1', 'mon_1'] }],
  ['more than 100 monitors', { monitor_ids: Array.from({ length: 101 }, (_, index) => `mon_${index}`) }],
  ['a status that only a page can show', { status: 'unknown' }],
  ['a negative position', { position: -1 }],
  ['a fractional position', { position: 0.5 }],
];
for (const [what, fields] of refused)
  test(`${what} is refused`, t => t.false(componentPatchSchema.safeParse(fields).success));
