import test from 'ava';
import { programFolders, type Source, sourcesOf } from './sources.ts';
import { treeOf, walk } from './syntax.ts';

/** Fragments of statements on `events` that hold the condition. */
const conditions = ['inRange', 'rangeSql', 'entriesSql'];
/** Reads what all projects have together, for the operator. */
const ofTheOperator = 'control-plane/operations/admin/doctor/store.ts';

type Template = { text: string; calls: string[] };

/** The templates of a file: their own text, and the functions whose results they contain. */
function templatesOf(source: Source): Template[] {
  const templates: Template[] = [];
  walk(treeOf(source), node => {
    if (node.type !== 'TemplateLiteral') return;
    const text = node.quasis.map(({ value }) => value.raw).join('$');
    const calls = node.expressions.flatMap(part =>
      part.type === 'CallExpression' && part.callee.type === 'Identifier' ? [part.callee.name] : [],
    );
    templates.push({ text, calls });
  });
  return templates;
}

test('every statement that reads or deletes events names their project: row security is not on that table', t => {
  const templates = programFolders
    .flatMap(sourcesOf)
    .filter(({ path }) => path !== ofTheOperator)
    .flatMap(source => templatesOf(source).map(template => ({ path: source.path, ...template })));
  const statements = templates.filter(({ text }) => /\b(from|join|using|update)\s+events\b/.test(text));
  t.true(statements.length >= 12, `${statements.length} statements were found`);
  const unnamed = statements.filter(
    ({ text, calls }) => !/\bproject_id = /.test(text) && !/= e\.project_id\b/.test(text) && !calls.some(isCondition),
  );
  t.deepEqual(
    unnamed.map(({ path, text }) => `${path}: ${text.trim().slice(0, 200)}`),
    [],
  );
});

test('the fragments that hold the condition begin with it', t => {
  const sources = programFolders.flatMap(sourcesOf).map(({ text }) => text);
  for (const name of conditions) {
    const [, body = ''] =
      sources
        .flatMap(text =>
          text
            .split(new RegExp(`function ${name}\\(`))
            .slice(1, 2)
            .map(part => ['', part]),
        )
        .at(0) ?? [];
    t.regex(body.slice(0, 700), /return fragment`\s*project_id = \$/, name);
  }
});

function isCondition(name: string): boolean {
  return conditions.includes(name);
}
