import { writeFile } from 'node:fs/promises';
import type { Command } from '../frame/command.ts';

export const exportCommand: Command = {
  name: 'export',
  summary: 'Print what is configured as a document',
  flags: [
    { name: 'manager', value: 'NAME', summary: 'only what this manager owns' },
    { name: 'types', value: 'LIST', summary: 'only these types: monitors,routes' },
    { name: 'out', short: 'o', value: 'FILE', summary: 'write to a file' },
  ],
  notes: ['An export holds no secret: each is {$env: NAME}. With --json the document is JSON.'],
  examples: ['upquorum export -o upquorum.yaml'],
  run: async ({ value, terminal, connect }) => {
    const query = new URLSearchParams();
    for (const name of ['manager', 'types']) {
      const given = value(name);
      if (given !== null) query.set(name, given);
    }
    const { fetch } = await connect();
    const accept = terminal.isJson ? 'application/json' : 'application/yaml';
    const response = await fetch('GET', `/v0/config/export?${query}`, { headers: { Accept: accept } });
    const text = await response.text();
    const file = value('out');
    if (file === null) terminal.raw(text.endsWith('\n') ? text : `${text}\n`);
    else {
      await writeFile(file, text);
      terminal.note(`Written to ${file}.`);
    }
  },
};
