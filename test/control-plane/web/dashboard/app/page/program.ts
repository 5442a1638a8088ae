import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, stop } from 'esbuild';

const entry = fileURLToPath(import.meta.resolve('#control-plane/web/dashboard/app/main.tsx'));

/** What the dashboard's program takes from the page around it, by name. */
export type PageGlobals = Readonly<Record<string, unknown>>;
/** Runs the whole program of the dashboard anew, with these globals: several pages may be open at once. */
export type Program = (globals: PageGlobals) => void;

let loading: Promise<Program> | null = null;

/** A thread bundles once. */
export function loadProgram(): Promise<Program> {
  loading ??= bundle().then(programOf);
  return loading;
}

/** The text is compiled once, for the names of the first page. */
function programOf(text: string): Program {
  let compiled: { names: readonly string[]; run(...values: unknown[]): void } | null = null;
  return globals => {
    if (compiled === null) {
      const names = Object.keys(globals);
      compiled = { names, run: new Function(...names, text) as (...values: unknown[]) => void };
    }
    compiled.run(...compiled.names.map(name => globals[name]));
  };
}

async function bundle(): Promise<string> {
  try {
    const { outputFiles } = await build({
      entryPoints: [entry],
      absWorkingDir: dirname(entry),
      bundle: true,
      write: false,
      format: 'iife',
      target: 'es2022',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      tsconfigRaw: {},
      logLevel: 'silent',
    });
    return outputFiles[0]?.text ?? '';
  } finally {
    await stop();
  }
}
