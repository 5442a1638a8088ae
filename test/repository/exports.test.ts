import test from 'ava';
import { programFolders, resolveImport, type Source, sourcesOf } from './sources.ts';
import { locationOf, treeOf, walk } from './syntax.ts';

const programs = programFolders.flatMap(sourcesOf).filter(({ path }) => !path.endsWith('.d.ts'));
const sources = [...programs, ...sourcesOf('test')];

test('every exported value has an importer, in the programs or in a test', t => {
  const used = new Set(sources.flatMap(usedNames));
  const unused = programs.flatMap(source =>
    exportedNames(source).flatMap(({ name, location }) =>
      used.has(`${source.path} ${name}`) || used.has(`${source.path} *`) ? [] : [`${location} exports ${name}`],
    ),
  );
  t.deepEqual(unused, []);
});

test('every exported type is mentioned somewhere besides its own line', t => {
  const words = countWords(sources);
  const unused = programs.flatMap(source =>
    [...source.text.matchAll(/^export type (\w+)/gm)].flatMap(match => {
      const name = match[1] ?? '';
      const line = source.text.slice(0, match.index).split('\n').length;
      return (words.get(name) ?? 0) > 1 ? [] : [`${source.path}:${line} exports ${name}`];
    }),
  );
  t.deepEqual(unused, []);
});

function exportedNames(source: Source): { name: string; location: string }[] {
  const names: { name: string; location: string }[] = [];
  walk(treeOf(source), node => {
    if (node.type !== 'ExportNamedDeclaration') return;
    const location = locationOf(source, node);
    const { declaration } = node;
    if (declaration?.type === 'FunctionDeclaration' || declaration?.type === 'ClassDeclaration')
      names.push({ name: declaration.id.name, location });
    if (declaration?.type === 'VariableDeclaration')
      for (const { id } of declaration.declarations)
        if (id.type === 'Identifier') names.push({ name: id.name, location });
    for (const { exported } of node.specifiers)
      if (exported.type === 'Identifier') names.push({ name: exported.name, location });
  });
  return names;
}

/** `path name` of every value that a file takes from another one; `*` for all of them. */
function usedNames(source: Source): string[] {
  const names: string[] = [];
  const use = (specifier: unknown, name: string) => {
    const path = typeof specifier === 'string' ? resolveImport(source.path, specifier) : null;
    if (path !== null) names.push(`${path} ${name}`);
  };
  walk(treeOf(source), node => {
    if (node.type === 'ImportDeclaration')
      for (const part of node.specifiers)
        use(
          node.source.value,
          part.type === 'ImportSpecifier' && part.imported.type === 'Identifier' ? part.imported.name : '*',
        );
    if (node.type === 'ExportNamedDeclaration' && node.source)
      for (const { local } of node.specifiers)
        use(node.source.value, local.type === 'Identifier' ? local.name : String(local.value));
    if (node.type === 'ExportAllDeclaration') use(node.source.value, '*');
    if (node.type === 'ImportExpression' && node.source.type === 'Literal') use(node.source.value, '*');
  });
  return names;
}

function countWords(from: readonly Source[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of from)
    for (const [word] of text.matchAll(/\w+/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
