"""A made Slack export of 2,000 messages in 12 channels: threads, bots, edits, deletions, greetings, contradictions."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

CHANNELS = ("billing", "shipping", "support", "platform", "data", "security", "legal", "sales", "design", "research",
            "travel", "facilities")  # fmt: skip
MESSAGES = 2000
THREADS = 7
TOPICS = ("invoice reminder", "parcel label", "ticket escalation", "cluster backup", "table export", "badge renewal",
          "contract review")  # fmt: skip
GREETINGS = ("Good morning all!", "hi everyone", "Hello team :wave:", "happy friday everyone", "see you tomorrow")
CHATTER = ("thanks :+1:", "ok", "lol", "sounds good", "+1", "haha nice", "on my way", "anyone lunch?")
ANNOUNCEMENT = "The parking garage below the main building stays closed from Monday on for repairs."
PEOPLE = {"U1": "Ana Souza", "U2": "Ben Okafor", "U3": "Cleo Lindqvist"}


@dataclass
class SlackExport:
    """Messages by channel and day, as an export has them."""

    end: datetime
    days: dict[str, dict[str, list[dict[str, Any]]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    count: int = 0
    _clock: int = 0

    def add(self, channel: str, text: str, at: datetime, **more: Any) -> str:
        """Add a message; its timestamp, which is its id."""
        self._clock += 1
        stamp = f"{int(at.timestamp())}.{self._clock:06d}"
        item = {"type": "message", "user": "U1", "ts": stamp, "text": text, **more}
        self.days[channel][f"{at:%Y-%m-%d}"].append(item)
        self.count += 1
        return stamp

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        channels = [{"id": f"C{name}", "name": name, "members": list(PEOPLE)} for name in CHANNELS]
        users = [
            {"id": key, "name": name.split()[0].lower(), "profile": {"real_name": name}} for key, name in PEOPLE.items()
        ]
        (folder / "channels.json").write_text(json.dumps(channels))
        (folder / "users.json").write_text(json.dumps(users))
        for channel, days in self.days.items():
            (folder / channel).mkdir(exist_ok=True)
            for day, items in days.items():
                (folder / channel / f"{day}.json").write_text(json.dumps(items))


def topic(channel: str, number: int) -> str:
    return f"{channel} {TOPICS[number]}"


def make_export(end: datetime | None = None) -> SlackExport:
    """The export, its last message on the day before `end` (now)."""
    end = end or datetime.now(tz=UTC)
    export = SlackExport(end)
    for at, channel in enumerate(CHANNELS):
        for number in range(THREADS):
            _thread(export, channel, at, number, end - timedelta(days=2 + number, hours=at))
        old = end - timedelta(days=200)
        first = export.add(channel, f"Which {channel} supplier do we use for paper towels?", old)
        export.add(channel, f"The {channel} supplier for paper towels is Nordwind.", old, thread_ts=first, user="U2")
        export.add(channel, ANNOUNCEMENT, end - timedelta(days=1, hours=at))
        gone = end - timedelta(days=3)
        export.add(channel, f"The {channel} master key hangs behind the mirror.", gone, subtype="tombstone")
        draft = export.add(channel, f"The {channel} stock count happens in calendar week 12.", gone)
        export.add(
            channel, "", gone, subtype="message_changed",
            message={"type": "message", "user": "U1", "ts": draft,
                     "text": f"The {channel} stock count happens in calendar week 34.", "edited": {"user": "U1"}},
        )  # fmt: skip
    noise = 0
    while export.count < MESSAGES:
        channel = CHANNELS[noise % len(CHANNELS)]
        at_time = end - timedelta(days=1 + noise % 20, minutes=noise)
        kind = noise // len(CHANNELS) % 3
        if kind == 0:
            export.add(channel, GREETINGS[noise % len(GREETINGS)], at_time, user="U2")
        elif kind == 1:
            export.add(channel, CHATTER[noise % len(CHATTER)], at_time, user="U3")
        else:
            export.add(channel, f"Build {noise} of {channel} passed all checks.", at_time, bot_id="B1", username="ci")
        noise += 1
    return export


def _thread(export: SlackExport, channel: str, at: int, number: int, begun: datetime) -> None:
    """A question, an answer, noise, where the number is odd a correction on the next day, and thanks."""
    about = topic(channel, number)
    days = 10 + at
    first = export.add(channel, f"How many days does the {about} take at the moment?", begun)
    confirmed: dict[str, Any] = {"reactions": [{"name": "white_check_mark", "users": ["U1"], "count": 1}]}
    more = confirmed if number in (2, 4) else {}
    export.add(
        channel, f"The {about} takes {days} days.", begun + timedelta(minutes=5), thread_ts=first, user="U2", **more
    )
    export.add(channel, "thanks :+1:", begun + timedelta(minutes=6), thread_ts=first)
    if number % 2:
        export.add(
            channel, f"Correction: the {about} takes {days + 40} days since the spring.", begun + timedelta(hours=22),
            thread_ts=first, user="U3", subtype="thread_broadcast",
        )  # fmt: skip
