"""The sidecar: scrapes targets for ever, judges what they expose, serves the verdict."""
