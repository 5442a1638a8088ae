import test from 'ava';
import { programFolders, sourcesOf } from './sources.ts';

const linesMax = 250;
const columnsMax = 120;

test(`no source file is longer than ${linesMax} lines`, t => {
  const long = programFolders.flatMap(sourcesOf).flatMap(({ path, text }) => {
    const lines = text.trimEnd().split('\n').length;
    return lines > linesMax ? [`${path}:${linesMax + 1} has ${lines} lines`] : [];
  });
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
