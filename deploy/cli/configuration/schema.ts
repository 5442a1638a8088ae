import type { Command } from '../frame/command.ts';

export const schemaCommand: Command = {
  name: 'schema',
  summary: 'Print the JSON Schema of documents',
  notes: ['Editors read it from the first line of an export: # yaml-language-server: $schema=…'],
  run: async ({ connect, terminal }) => {
    const { fetch } = await connect();
    const response = await fetch('GET', '/v0/config/schema.json');
    const schema: unknown = await response.json();
    terminal.raw(`${JSON.stringify(schema, null, 2)}\n`);
  },
};
