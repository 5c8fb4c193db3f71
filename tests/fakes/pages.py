"""Short Markdown documents for tests."""

from __future__ import annotations


def page(title: str, *paragraphs: str, front_matter: str = "") -> str:
    """A document with a heading and paragraphs, each under a heading of its own so that each becomes a chunk."""
    head = f"---\n{front_matter}\n---\n" if front_matter else ""
    sections = [
        f"## {title} rule {number}\n\n{paragraph}" if number > 1 else paragraph
        for number, paragraph in enumerate(paragraphs, start=1)
    ]
    return f"{head}# {title}\n\n" + "\n\n".join(sections) + "\n"


REFUNDS = page(
    "Refunds",
    "A refund is paid within fourteen days after the goods arrive at our warehouse in Utrecht.",
    "Opened software is never refunded, whatever the customer service has promised on the telephone.",
    "The amount goes back to the card that was charged, and a letter confirms the transfer.",
)
TRAVEL = page(
    "Travel",
    "The travel allowance is forty-two euros a day in Germany and fifty-one euros in Norway.",
    "Trains in second class are always allowed, taxis need a receipt and a good reason.",
)
HOLIDAYS = page(
    "Holidays",
    "Everybody has twenty-eight days of paid leave a year, taken in agreement with the team.",
    "Unused leave ends on the last day of March, unless illness made it impossible to take it.",
)
SAFETY = page("Safety", "Every accident is reported within one day to the safety officer, also when nobody was hurt.")

FOUR = {"refunds.md": REFUNDS, "travel.md": TRAVEL, "holidays.md": HOLIDAYS, "safety.md": SAFETY}
"""A small corpus, all different."""
