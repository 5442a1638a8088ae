// Made by npm run api-types from the types of channels. Do not edit.
import type { ChannelForm } from '../../on-call/channels/types/form.ts';
import type { ChannelType } from '../../on-call/channels/types/registry.ts';

export const channelForms: Readonly<Record<ChannelType, ChannelForm>> = {
  "email": {
    "label": "Email",
    "about": "Up to 20 addresses; each confirms once",
    "detail": "full",
    "fields": [
      {
        "name": "to",
        "label": "Addresses",
        "kind": "list",
        "hint": "One address per line.",
        "placeholder": "ops@example.com"
      }
    ]
  },
  "slack": {
    "label": "Slack",
    "about": "A channel of the project’s bot, or an incoming webhook",
    "detail": "full",
    "fields": [
      {
        "name": "channel",
        "label": "Channel of the bot",
        "kind": "text",
        "isOptional": true,
        "placeholder": "#alerts"
      },
      {
        "name": "webhook_url",
        "label": "Or an incoming webhook",
        "kind": "text",
        "isSecret": true,
        "isOptional": true,
        "placeholder": "https://hooks.slack.com/services/…"
      }
    ]
  },
  "webhook": {
    "label": "Webhook",
    "about": "Signed JSON to your own endpoint",
    "detail": "full",
    "fields": [
      {
        "name": "url",
        "label": "URL",
        "kind": "text",
        "isSecret": true,
        "placeholder": "https://ops.example.com/alerts"
      }
    ]
  },
  "pagerduty": {
    "label": "PagerDuty",
    "about": "Incidents by Events API v2",
    "detail": "full",
    "fields": [
      {
        "name": "routing_key",
        "label": "Integration key",
        "kind": "text",
        "isSecret": true
      },
      {
        "name": "region",
        "label": "Service region",
        "kind": "choice",
        "choices": [
          [
            "us",
            "United States"
          ],
          [
            "eu",
            "Europe"
          ]
        ],
        "initial": "us"
      },
      {
        "name": "webhook_secret",
        "label": "Webhook secret",
        "kind": "text",
        "isSecret": true,
        "isOptional": true,
        "hint": "Of a V3 webhook subscription. With it, acknowledging in PagerDuty acknowledges here."
      }
    ]
  },
  "opsgenie": {
    "label": "Opsgenie",
    "about": "Alerts; it ends in April 2027",
    "detail": "full",
    "fields": [
      {
        "name": "api_key",
        "label": "API key",
        "kind": "text",
        "isSecret": true
      },
      {
        "name": "site",
        "label": "Site",
        "kind": "choice",
        "choices": [
          [
            "us",
            "Opsgenie, United States"
          ],
          [
            "eu",
            "Opsgenie, Europe"
          ],
          [
            "jsm",
            "Jira Service Management"
          ]
        ],
        "initial": "us"
      }
    ]
  },
  "teams": {
    "label": "Microsoft Teams",
    "about": "A workflow that posts to a channel",
    "detail": "full",
    "fields": [
      {
        "name": "url",
        "label": "URL of the workflow",
        "kind": "text",
        "isSecret": true,
        "hint": "Its trigger is “When a Teams webhook request is received”.",
        "placeholder": "https://…"
      }
    ]
  },
  "discord": {
    "label": "Discord",
    "about": "A webhook of a channel",
    "detail": "full",
    "fields": [
      {
        "name": "url",
        "label": "Webhook URL",
        "kind": "text",
        "isSecret": true,
        "placeholder": "https://discord.com/api/webhooks/…"
      },
      {
        "name": "thread_id",
        "label": "Thread ID",
        "kind": "text",
        "isOptional": true
      }
    ]
  },
  "telegram": {
    "label": "Telegram",
    "about": "A bot in a chat or channel",
    "detail": "full",
    "fields": [
      {
        "name": "bot_token",
        "label": "Bot token",
        "kind": "text",
        "isSecret": true,
        "placeholder": "123456:AbC…"
      },
      {
        "name": "chat_id",
        "label": "Chat ID",
        "kind": "text",
        "placeholder": "-100123 or @channelname"
      },
      {
        "name": "topic_id",
        "label": "Topic ID",
        "kind": "number",
        "isOptional": true
      }
    ]
  },
  "ntfy": {
    "label": "ntfy",
    "about": "Push notifications to phones",
    "detail": "brief",
    "fields": [
      {
        "name": "server",
        "label": "Server",
        "kind": "text",
        "initial": "https://ntfy.sh"
      },
      {
        "name": "topic",
        "label": "Topic",
        "kind": "text",
        "isSecret": true,
        "hint": "Anyone who knows it can read the messages."
      },
      {
        "name": "token",
        "label": "Access token",
        "kind": "text",
        "isSecret": true,
        "isOptional": true
      }
    ]
  },
  "google_chat": {
    "label": "Google Chat",
    "about": "A webhook of a space",
    "detail": "full",
    "fields": [
      {
        "name": "url",
        "label": "Webhook URL",
        "kind": "text",
        "isSecret": true,
        "placeholder": "https://chat.googleapis.com/v1/spaces/…"
      }
    ]
  },
  "apprise": {
    "label": "Apprise",
    "about": "Any service that Apprise API knows",
    "detail": "full",
    "fields": [
      {
        "name": "url",
        "label": "URL",
        "kind": "text",
        "isSecret": true,
        "placeholder": "https://apprise.example.com/notify/key"
      },
      {
        "name": "tag",
        "label": "Tag",
        "kind": "text",
        "isOptional": true
      }
    ]
  },
  "http": {
    "label": "HTTP request",
    "about": "Any endpoint, with a body from a template",
    "detail": "full",
    "fields": [
      {
        "name": "url",
        "label": "URL",
        "kind": "text",
        "isSecret": true,
        "placeholder": "https://example.com/notify"
      },
      {
        "name": "method",
        "label": "Method",
        "kind": "choice",
        "choices": [
          [
            "POST",
            "POST"
          ],
          [
            "PUT",
            "PUT"
          ]
        ],
        "initial": "POST"
      },
      {
        "name": "content_type",
        "label": "Content type",
        "kind": "text",
        "initial": "application/json"
      },
      {
        "name": "headers",
        "label": "Headers",
        "kind": "pairs",
        "isSecret": true,
        "isOptional": true,
        "hint": "One header per line.",
        "placeholder": "Authorization: Bearer …"
      },
      {
        "name": "template",
        "label": "Body",
        "kind": "area",
        "hint": "{{title}} and other values are replaced: step, title, text, alert, group, monitor, links, project.",
        "initial": "{\"text\": {{title|json}}}"
      }
    ]
  },
  "jira_service_management": {
    "label": "Jira Service Management",
    "about": "Alerts by an API integration",
    "detail": "full",
    "fields": [
      {
        "name": "api_key",
        "label": "API key",
        "kind": "text",
        "isSecret": true
      }
    ]
  },
  "incident_io": {
    "label": "incident.io",
    "about": "Alerts by an HTTP alert source",
    "detail": "full",
    "fields": [
      {
        "name": "source_id",
        "label": "Alert source ID",
        "kind": "text",
        "placeholder": "01GW2G3V0S59R238FAHPDS1R66"
      },
      {
        "name": "token",
        "label": "Token",
        "kind": "text",
        "isSecret": true
      }
    ]
  },
  "mattermost": {
    "label": "Mattermost",
    "about": "An incoming webhook of a channel",
    "detail": "full",
    "fields": [
      {
        "name": "url",
        "label": "Webhook URL",
        "kind": "text",
        "isSecret": true,
        "placeholder": "https://mattermost.example.com/hooks/…"
      }
    ]
  },
  "rocket_chat": {
    "label": "Rocket.Chat",
    "about": "An incoming webhook of a channel",
    "detail": "full",
    "fields": [
      {
        "name": "url",
        "label": "Webhook URL",
        "kind": "text",
        "isSecret": true,
        "placeholder": "https://chat.example.com/hooks/…"
      }
    ]
  },
  "zulip": {
    "label": "Zulip",
    "about": "A topic of a channel, written to by a bot",
    "detail": "full",
    "fields": [
      {
        "name": "server",
        "label": "Organization URL",
        "kind": "text",
        "placeholder": "https://example.zulipchat.com"
      },
      {
        "name": "bot_email",
        "label": "Bot’s email address",
        "kind": "text",
        "placeholder": "alerts-bot@example.zulipchat.com"
      },
      {
        "name": "api_key",
        "label": "Bot’s API key",
        "kind": "text",
        "isSecret": true
      },
      {
        "name": "channel",
        "label": "Channel",
        "kind": "text",
        "placeholder": "operations"
      },
      {
        "name": "topic",
        "label": "Topic",
        "kind": "text",
        "initial": "alerts"
      }
    ]
  },
  "matrix": {
    "label": "Matrix",
    "about": "A room, written to by a bot’s account",
    "detail": "full",
    "fields": [
      {
        "name": "server",
        "label": "Homeserver",
        "kind": "text",
        "placeholder": "https://matrix.example.com"
      },
      {
        "name": "access_token",
        "label": "Access token",
        "kind": "text",
        "isSecret": true
      },
      {
        "name": "room_id",
        "label": "Room ID",
        "kind": "text",
        "hint": "In the room’s settings, under Advanced. The bot must have joined the room.",
        "placeholder": "!abc:example.com"
      }
    ]
  },
  "pushover": {
    "label": "Pushover",
    "about": "Push notifications to phones and desktops",
    "detail": "full",
    "fields": [
      {
        "name": "token",
        "label": "API token",
        "kind": "text",
        "isSecret": true
      },
      {
        "name": "user",
        "label": "User or group key",
        "kind": "text",
        "isSecret": true
      },
      {
        "name": "device",
        "label": "Devices",
        "kind": "text",
        "isOptional": true
      }
    ]
  },
  "gotify": {
    "label": "Gotify",
    "about": "Push notifications by your own server",
    "detail": "full",
    "fields": [
      {
        "name": "server",
        "label": "Server",
        "kind": "text",
        "placeholder": "https://gotify.example.com"
      },
      {
        "name": "token",
        "label": "Application token",
        "kind": "text",
        "isSecret": true
      }
    ]
  }
};
