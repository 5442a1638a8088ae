-- Emails to people about their account, and about who joins a project. They have a queue of their own, which programs of
-- the version before do not claim. Those without a project have `none` as theirs.
alter table deliveries
  drop constraint if exists deliveries_project_id_fkey,
  drop constraint if exists deliveries_channel_check,
  drop constraint if exists deliveries_kind_check,
  add constraint deliveries_channel_check check (
    channel in ('email', 'webhook', 'slack', 'operator', 'slack_webhook', 'teams_webhook', 'account')
  ) not valid,
  add constraint deliveries_kind_check check (
    kind in (
      'incident_update', 'confirmation', 'alert', 'webhook', 'operator', 'digest', 'notice', 'test',
      'maintenance_update', 'account', 'invitation'
    )
  ) not valid;
alter table delivery_queues drop constraint if exists delivery_queues_project_id_fkey;
