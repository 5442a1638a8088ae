/** Base addresses of services that an operator can replace. */
export type ServiceAddresses = { slack: string; pagerduty: string | null; opsgenie: string | null; telegram: string };

/** As the settings name them. */
export function serviceAddresses(settings: {
  slackApiUrl: string;
  pagerdutyApiUrl: string | null;
  opsgenieApiUrl: string | null;
  telegramApiUrl: string;
}): ServiceAddresses {
  return {
    slack: settings.slackApiUrl,
    pagerduty: settings.pagerdutyApiUrl,
    opsgenie: settings.opsgenieApiUrl,
    telegram: settings.telegramApiUrl,
  };
}
