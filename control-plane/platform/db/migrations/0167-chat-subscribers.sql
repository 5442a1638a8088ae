-- Incoming webhooks of Slack and Teams as subscribers. Their deliveries have queues of their own, which programs of the
-- version before do not claim: they would send them JSON of another form.
alter table subscribers
  drop constraint if exists subscribers_channel_check,
  add constraint subscribers_channel_check check (
    channel in ('email', 'webhook', 'slack_webhook', 'teams_webhook')
  ) not valid;
alter table deliveries
  drop constraint if exists deliveries_channel_check,
  add constraint deliveries_channel_check check (
    channel in ('email', 'webhook', 'slack', 'operator', 'slack_webhook', 'teams_webhook')
  ) not valid;
