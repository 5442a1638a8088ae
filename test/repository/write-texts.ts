import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { top } from './sources.ts';
import { listTexts, textsPath } from './texts.ts';

// `npm run texts`: renews the list of all texts that people read.

writeFileSync(join(top, textsPath), listTexts());
