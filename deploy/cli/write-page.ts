import { readFile, writeFile } from 'node:fs/promises';
import { commands } from './commands.ts';
import { pageOf } from './frame/page.ts';

// `npm run cli-page`: writes the tables of docs/command-line.md from the table of commands.

const page = new URL('../../docs/command-line.md', import.meta.url);
const [head = '', , tail = ''] = (await readFile(page, 'utf8')).split(/(?<=<!-- commands -->\n)|(?=<!-- end -->)/);
await writeFile(page, `${head}\n${pageOf(commands)}\n${tail}`);
