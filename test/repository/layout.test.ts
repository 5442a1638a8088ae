import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import test from 'ava';
import { programFolders, sourcesOf, top } from './sources.ts';

const linesMax = 250;
const columnsMax = 120;
const isPackage = (name: string) => name.includes('node_modules');

test(`no source file is longer than ${linesMax} lines`, t => {
  const long = programFolders.flatMap(sourcesOf).flatMap(({ path, text }) => {
    const lines = text.trimEnd().split('\n').length;
    return lines > linesMax ? [`${path}:${linesMax + 1} has ${lines} lines`] : [];
  });
  t.deepEqual(long, []);
});

test(`no style sheet is longer than ${linesMax} lines`, t => {
  const sheets = programFolders.flatMap(folder => globSync(`${folder}/**/*.css`, { cwd: top, exclude: isPackage }));
  t.true(sheets.length > 20);
  const long = sheets.filter(path => readFileSync(join(top, path), 'utf8').trimEnd().split('\n').length > linesMax);
  t.deepEqual(long, []);
});

test(`no line is wider than ${columnsMax} columns, unless it holds a URL`, t => {
  const wide = [...programFolders, 'test'].flatMap(sourcesOf).flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const isWide = line.length > columnsMax && !/\bhttps?:\/\//.test(line);
      return isWide ? [`${path}:${index + 1} has ${line.length} columns`] : [];
    }),
  );
  t.deepEqual(wide, []);
});

/** Steps of the schema stay in one row for ever. */
const filesMax = 25;
const prefixMax = 5;

test(`no folder has more than ${filesMax} source files, and no more than ${prefixMax} share a prefix`, t => {
  const folders = Map.groupBy(programFolders.flatMap(sourcesOf), ({ path }) => dirname(path));
  const crowded = [...folders].flatMap(([folder, files]) => {
    const prefixes = Map.groupBy(files, ({ path }) => basename(path).split(/[-.]/)[0] ?? '');
    const shared = [...prefixes].filter(([, named]) => named.length > prefixMax);
    return [
      ...(files.length > filesMax ? [`${folder} has ${files.length} files`] : []),
      ...shared.map(([prefix, named]) => `${folder}: ${named.length} files begin with ${prefix}`),
    ];
  });
  t.deepEqual(crowded, []);
});
