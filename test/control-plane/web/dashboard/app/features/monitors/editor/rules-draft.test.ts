import test from 'ava';
import { alertRulesSchema, defaultAlertRules } from '#control-plane/monitoring/monitors/alert-rules.ts';
import {
  draftOfRules,
  noRules,
  rulesBody,
} from '#control-plane/web/dashboard/app/features/monitors/editor/rules-draft.ts';

test('rules that are off send nothing of what stands in their fields', t => {
  t.like(rulesBody({ ...noRules, flapChanges: '9', degradedAfter: '9' }), { flap: null, degraded: null });
  t.deepEqual(rulesBody({ ...noRules, hasFlap: true, flapChanges: '4' }).flap, { changes: 4, window_seconds: 1800 });
  t.deepEqual(rulesBody({ ...noRules, hasDegraded: true }).degraded, { after_seconds: 300, severity: 'p3' });
  const thresholds = [{ daysLeft: '0.5', severity: 'p1' as const }];
  t.deepEqual(rulesBody({ ...noRules, certificate: { enabled: true, inVerdict: true, thresholds } }).certificate, {
    enabled: true,
    thresholds: [{ days_left: 0.5, severity: 'p1' }],
    in_verdict: true,
  });
  t.deepEqual(rulesBody({ ...noRules, domain: { enabled: true, thresholds: [] } }).domain, { enabled: true });
});

test('rules that are opened and saved untouched stay as they are', t => {
  const rules = {
    confirm_seconds: 60,
    recover_seconds: 30,
    flap: { changes: 4, window_seconds: 900 },
    degraded: { after_seconds: 120, severity: 'p2' as const },
    certificate: { enabled: false, thresholds: null, in_verdict: true },
    domain: { enabled: false, thresholds: [{ days_left: 60, severity: 'p1' as const }] },
  };
  t.deepEqual(rulesBody(draftOfRules(rules)), rules);
  t.deepEqual(rulesBody(noRules), { ...defaultAlertRules });
  t.deepEqual(alertRulesSchema.parse(rulesBody(draftOfRules(rules))), { ...defaultAlertRules, ...rules });
  const certificate = { enabled: true, thresholds: [{ days_left: 7, severity: 'p2' as const }], in_verdict: false };
  t.deepEqual(rulesBody(draftOfRules({ ...rules, certificate })), { ...rules, certificate });
  const usual = { ...certificate, thresholds: null };
  t.deepEqual(rulesBody(draftOfRules({ ...rules, certificate: usual })), { ...rules, certificate: usual });
});
