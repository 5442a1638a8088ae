import test from 'ava';
import { programFolders, sourcesOf } from './sources.ts';
import { locationOf, treeOf, walk } from './syntax.ts';

const programs = programFolders.flatMap(sourcesOf);
const methods = new Set(['rows', 'row', 'run', 'once']);

test('statements are tagged templates only, so that a value can only be a parameter', t => {
  const called = [...programs, ...sourcesOf('test')].flatMap(source => {
    const locations: string[] = [];
    walk(treeOf(source), node => {
      if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return;
      const { object, property } = node.callee;
      const isSql = object.type === 'Identifier' && /^(sql|tx)$/.test(object.name);
      const isSqlOf =
        object.type === 'CallExpression' && object.callee.type === 'Identifier' && object.callee.name === 'sqlOf';
      if ((isSql || isSqlOf) && property.type === 'Identifier' && methods.has(property.name))
        locations.push(`${locationOf(source, node)} calls .${property.name}(…)`);
    });
    return locations;
  });
  t.deepEqual(called, []);
});

/** Carries the columns of the step before, a statement of this file, along with its own. */
const carriesColumns = 'control-plane/analytics/flows/funnel/store.ts';

test('statements name their columns', t => {
  const starred = programs.flatMap(source =>
    [...source.text.matchAll(/\b(select|returning)\s+\*/g)].map(
      match => `${source.path}:${source.text.slice(0, match.index).split('\n').length} says ${match[0]}`,
    ),
  );
  t.deepEqual(
    starred.filter(place => !place.startsWith(carriesColumns)),
    [],
  );
});
