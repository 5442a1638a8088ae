import { readFile } from 'node:fs/promises';
import type { Command, Invocation } from '../frame/command.ts';
import { UsageError } from '../frame/failure.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

export const apiCommand: Command = {
  name: 'api',
  summary: 'Call the API: anything that has no command of its own',
  args: 'METHOD PATH',
  arity: [2, 2],
  flags: [
    { name: 'data', short: 'd', value: 'JSON|@FILE|-', summary: 'the body; - reads stdin' },
    { name: 'header', short: 'H', value: 'NAME:VALUE', isMany: true, summary: 'a header; may be repeated' },
  ],
  examples: ['upquorum api GET /v0/regions', `upquorum api PATCH /v0/project -d '{"name":"Shop"}'`],
  run: async invocation => {
    const { connect, terminal, args } = invocation;
    const method = (args[0] ?? '').toUpperCase();
    if (!methods.includes(method)) throw new UsageError(`${args[0]} is no method`, `There are ${methods.join(', ')}.`);
    const path = args[1] ?? '';
    if (!/^\/(?!\/)/.test(path)) throw new UsageError(`${path} is no path`, 'Paths begin with one slash: /v0/monitors');
    const body = await bodyOf(invocation);
    const { fetch } = await connect();
    const headers = {
      ...(body === null ? {} : { 'Content-Type': 'application/json' }),
      ...headersOf(invocation.values('header')),
    };
    const response = await fetch(method, path, { headers, ...(body === null ? {} : { body }) });
    const text = await response.text();
    if (/\bjson\b/.test(response.headers.get('Content-Type') ?? '') && text !== '') terminal.json(JSON.parse(text));
    else if (text !== '') terminal.raw(text.endsWith('\n') ? text : `${text}\n`);
  },
};

async function bodyOf({ value, terminal }: Invocation): Promise<string | null> {
  const given = value('data');
  if (given === null) return null;
  if (given === '-') return terminal.input();
  return given.startsWith('@') ? readFile(given.slice(1), 'utf8') : given;
}

function headersOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map(text => {
      const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*)$/.exec(text) ?? [];
      if (name === undefined || value === undefined)
        throw new UsageError(`${text} is no header`, 'Such as -H "Accept: text/markdown"');
      if (/^(authorization|host|cookie)$/i.test(name)) throw new UsageError(`${name} is sent by the command itself`);
      return [name, value];
    }),
  );
}
