// Checks rendered objects by schema, and writes them down as TypeScript, which finds unknown fields: see `run`.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

const lines = [];
for (const file of process.argv.slice(2)) {
  const objects = parseAllDocuments(readFileSync(file, 'utf8')).flatMap(document => {
    if (document.errors.length > 0) throw new Error(`${file}: ${document.errors[0].message}`);
    return document.toJS() ?? [];
  });
  if (objects.length === 0) throw new Error(`${file} is empty`);
  for (const object of objects) {
    const path = `kubernetes-models/${object.apiVersion}/${object.kind}`;
    const { [object.kind]: Model } = await import(path);
    try {
      new Model(object).validate();
    } catch (error) {
      throw new Error(`${file}: ${object.kind} ${object.metadata.name}: ${error.message}`);
    }
    const name = `${object.kind}${lines.length}`;
    lines.push(`import type { I${object.kind} as ${name} } from '${path}';`);
    lines.push(`// ${file}`, `export const object${lines.length}: ${name} = ${JSON.stringify(object, null, 2)};`);
  }
}
writeFileSync('objects.ts', `${lines.join('\n')}\n`);
const compilerOptions = { module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true, types: [] };
writeFileSync('tsconfig.json', JSON.stringify({ compilerOptions, files: ['objects.ts'] }));
writeFileSync('package.json', JSON.stringify({ type: 'module', private: true }));
