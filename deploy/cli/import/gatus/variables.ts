import type { Draft } from '../draft/draft.ts';
import type { Choices } from '../imported.ts';

const whole = /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))$/;
const within = /\$\$|\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g;
const reference = /^[A-Z][A-Z0-9_]{0,99}$/;

/** Members below which a value may stay a reference: they are carried as they are. */
const sealedBelow = new Set(['headers', 'alerting', 'body']);

/** Fills variables in, as Gatus does before it reads the file. One that is a whole value of a secret stays one. */
export function fillVariables(value: unknown, draft: Draft, environment: Choices['environment']): unknown {
  const seen = new Set<string>();
  const filled = walk(value, []);
  for (const name of [...seen].sort()) {
    const thing = draft.thing('variable', name, name);
    if (environment[name] === undefined)
      thing.leftOut('it is not set here: an empty text is in its place, as with Gatus');
    else {
      thing.changed(name, `\${${name}}`, '********', 'its value is written into the documents');
      thing.carried(null);
    }
  }
  return filled;

  function walk(node: unknown, path: readonly string[]): unknown {
    if (Array.isArray(node)) return node.map((item, index) => walk(item, [...path, String(index)]));
    if (typeof node === 'object' && node !== null)
      return Object.fromEntries(Object.entries(node).map(([name, item]) => [name, walk(item, [...path, name])]));
    if (typeof node !== 'string' || !node.includes('$')) return node;
    const [, braced, bare] = whole.exec(node) ?? [];
    const name = braced ?? bare;
    if (name !== undefined && reference.test(name) && path.some(step => sealedBelow.has(step)))
      return draft.variable(name);
    return node.replace(within, (text, inBraces: string | undefined, plain: string | undefined) => {
      if (text === '$$') return '$';
      const variable = inBraces ?? plain ?? '';
      seen.add(variable);
      return environment[variable] ?? '';
    });
  }
}
