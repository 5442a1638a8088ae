import { stringify } from 'yaml';
import { z } from 'zod';
import { configTypes } from '#shared/config-types.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { commaList } from '../../platform/http/endpoint/parameters.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { schemaUrl } from '../schema/routes.ts';
import { exportDocument } from './export.ts';

type Services = { keyring: Keyring; endpoints: readonly Endpoint[]; baseUrl: string };

export function exportEndpoints(services: Services): readonly Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/v0/config/export',
      operation: 'exportConfig',
      summary: 'Export the project as a document',
      tag: 'Configuration',
      scope: null,
      query: z.strictObject({
        manager: z
          .string()
          .regex(/^[a-z0-9][a-z0-9-]{0,62}$/)
          .optional(),
        types: commaList(configTypes).optional(),
      }),
      answers: { 200: z.record(z.string(), z.unknown()).meta({ title: 'ConfigDocument' }) },
      mediaTypes: ['application/yaml', 'application/json'],
      handle: async request => {
        const { manager = null, types = null } = request.query;
        const body = await exportDocument(services, request, { manager, types });
        const headers = { Vary: 'Accept' };
        if (/\bapplication\/json\b/.test(request.accept)) return { status: 200, body, headers };
        const schema = `# yaml-language-server: $schema=${schemaUrl(services.baseUrl)}`;
        const content = `${schema}\n${stringify(body, { lineWidth: 0 })}`;
        return { status: 200, headers, text: { type: 'application/yaml', content } };
      },
    }),
  ];
}
