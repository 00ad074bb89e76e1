"""Specimens that name tools wrongly.

This module does not know catalogs or policies.
"""

import re
import unicodedata
from typing import Final

from mcpizer_conformance.specimens.specimen import Functions, Specimen
from mcpizer_core import parse_upstream_id

Pair = tuple[str, str]


def splits_at_the_last_separator() -> Functions:
    def split(name: str) -> Pair | None:
        head, separator, tool = name.rpartition("__")
        return (head, tool) if separator else None

    return {"split": split}


def needs_a_tool_name() -> Functions:
    def split(name: str) -> Pair | None:
        head, _, tool = name.partition("__")
        upstream = parse_upstream_id(head)
        return (upstream, tool) if tool and upstream is not None else None

    return {"split": split}


def eats_underscores() -> Functions:
    def split(name: str) -> Pair | None:
        head, separator, tool = name.partition("__")
        upstream = parse_upstream_id(head)
        return (upstream, tool.lstrip("_")) if separator and upstream is not None else None

    return {"split": split}


def fails_without_a_separator() -> Functions:
    def split(name: str) -> Pair | None:
        at = name.index("__")
        upstream = parse_upstream_id(name[:at])
        return None if upstream is None else (upstream, name[at + 2 :])

    return {"split": split}


def takes_any_prefix_for_an_id() -> Functions:
    def split(name: str) -> Pair | None:
        head, separator, tool = name.partition("__")
        return (head, tool) if separator else None

    return {"split": split}


def splits_at_one_underscore() -> Functions:
    def split(name: str) -> Pair | None:
        found = re.fullmatch(r"([a-z0-9][a-z0-9-]*)_{1,2}(.*)", name, re.DOTALL)
        return (found[1], found[2]) if found else None

    return {"split": split}


def stops_at_a_line_feed() -> Functions:
    def split(name: str) -> Pair | None:
        found = re.fullmatch(r"([a-z0-9][a-z0-9-]*)__(.*)", name)
        return (found[1], found[2]) if found else None

    return {"split": split}


def never_splits_long_ids() -> Functions:
    def split(name: str) -> Pair | None:
        head, separator, tool = name.partition("__")
        upstream = parse_upstream_id(head)
        return (upstream, tool) if separator and upstream is not None and len(head) < 64 else None

    return {"split": split}


def joins_with_a_hyphen() -> Functions:
    return {"qualify": lambda upstream, tool: f"{upstream}-{tool}"}


def joins_with_one_underscore() -> Functions:
    return {"qualify": lambda upstream, tool: f"{upstream}_{tool}"}


def drops_a_repeated_word() -> Functions:
    return {"qualify": lambda upstream, tool: f"{upstream}__{tool.removeprefix(upstream).lstrip('_')}"}


def folds_case() -> Functions:
    return {"qualify": lambda upstream, tool: f"{upstream}__{tool.casefold()}"}


def composes_marks() -> Functions:
    return {"qualify": lambda upstream, tool: f"{upstream}__{unicodedata.normalize('NFC', tool)}"}


def cuts_at_64() -> Functions:
    return {"qualify": lambda upstream, tool: f"{upstream}__{tool}"[:64]}


def slugs() -> Functions:
    return {"qualify": lambda upstream, tool: f"{upstream}__{re.sub('[^A-Za-z0-9_-]', '_', tool)}"}


def trims() -> Functions:
    return {"qualify": lambda upstream, tool: f"{upstream}__{tool.strip()}"}


def numbers_in_order_of_arrival() -> Functions:
    arrived: list[Pair] = []

    def numbered(upstream: str, tool: str) -> str:
        arrived.append((upstream, tool))
        return f"{upstream}__{tool}_{len(arrived)}"

    return {"qualify": numbered}


def takes_ids_before_a_line_feed() -> Functions:
    return {"parse_upstream_id": lambda text: text if re.match(r"^[a-z0-9][a-z0-9-]*$", text) else None}


def takes_every_script() -> Functions:
    return {
        "parse_upstream_id": lambda text: (
            text if text.replace("-", "").isalnum() and text == text.lower() and text[0] != "-" else None
        )
    }


def lower_cases_ids() -> Functions:
    return {"parse_upstream_id": lambda text: parse_upstream_id(text.lower())}


def trims_ids() -> Functions:
    return {"parse_upstream_id": lambda text: parse_upstream_id(text.strip())}


def bounds_ids() -> Functions:
    return {"parse_upstream_id": lambda text: parse_upstream_id(text) if len(text) <= 63 else None}


def takes_underscores_in_ids() -> Functions:
    return {"parse_upstream_id": lambda text: parse_upstream_id(text.replace("_", "-")) and text}


def makes_slugs_of_ids() -> Functions:
    return {"parse_upstream_id": lambda text: re.sub("[^a-z0-9]+", "-", text.lower()).strip("-") or None}


def renames_only_what_has_no_prefix() -> Functions:
    def by_prefix(upstream: str, tool: str) -> str:
        return tool if tool.startswith(("a__", "docs__")) else f"{upstream}__{tool}"

    return {"qualify": by_prefix}


def keeps_the_name_from_before() -> Functions:
    stored: dict[str, str] = {}

    def sticky(upstream: str, tool: str) -> str:
        return stored.setdefault(tool, f"{upstream}__{tool}") if tool == "search" else f"{upstream}__{tool}"

    return {"qualify": sticky}


def shortens_the_prefix() -> Functions:
    return {"qualify": lambda upstream, tool: f"{upstream[:3]}__{tool}"}


ALL: Final = (
    Specimen(
        "splits-at-the-last-separator",
        "NAME-1",
        "A tool name may hold the separator; whoever looks for the last one cuts it.",
        splits_at_the_last_separator,
    ),
    Specimen("needs-a-tool-name", "NAME-1", "An empty tool name is taken for none.", needs_a_tool_name),
    Specimen(
        "eats-underscores", "NAME-1", "Underscores after the separator are taken for a part of it.", eats_underscores
    ),
    Specimen("fails-without-a-separator", "NAME-4", "A text that is no name makes it fail.", fails_without_a_separator),
    Specimen(
        "takes-any-prefix-for-an-id",
        "NAME-4",
        "What stands before the separator is not checked to be an id.",
        takes_any_prefix_for_an_id,
    ),
    Specimen(
        "splits-at-one-underscore", "NAME-4", "One underscore is taken for the separator.", splits_at_one_underscore
    ),
    Specimen(
        "stops-at-a-line-feed", "NAME-4", "The pattern does not let a dot match a line feed.", stops_at_a_line_feed
    ),
    Specimen("never-splits-long-ids", "NAME-4", "A long id is not recognised in a name.", never_splits_long_ids),
    Specimen("joins-with-a-hyphen", "NAME-2", "Ids and tool names have hyphens too.", joins_with_a_hyphen),
    Specimen("joins-with-one-underscore", "NAME-2", "Tool names begin with underscores.", joins_with_one_underscore),
    Specimen(
        "drops-a-repeated-word", "NAME-2", "A tool that is called after its upstream loses that.", drops_a_repeated_word
    ),
    Specimen("folds-case", "NAME-2", "Two tools that differ in case become one.", folds_case),
    Specimen("composes-marks", "NAME-2", "Two spellings of one letter become one.", composes_marks),
    Specimen("cuts-at-64", "NAME-2", "Names that are alike for 64 characters become one.", cuts_at_64),
    Specimen("slugs", "NAME-2", "Whatever is no plain letter becomes an underscore.", slugs),
    Specimen("trims", "NAME-2", "Space around a tool name is taken away.", trims),
    Specimen(
        "numbers-in-order-of-arrival",
        "NAME-3",
        "A name ends in how many were there before.",
        numbers_in_order_of_arrival,
    ),
    Specimen(
        "takes-ids-before-a-line-feed",
        "NAME-5",
        "The pattern ends before a last line feed.",
        takes_ids_before_a_line_feed,
    ),
    Specimen("takes-every-script", "NAME-5", "Letters and digits of every script are taken.", takes_every_script),
    Specimen("lower-cases-ids", "NAME-5", "An id in capitals is taken for the one in small letters.", lower_cases_ids),
    Specimen("trims-ids", "NAME-5", "Space around an id is taken away.", trims_ids),
    Specimen("bounds-ids", "NAME-5", "Long ids are refused.", bounds_ids),
    Specimen("takes-underscores-in-ids", "NAME-5", "An id may hold the separator.", takes_underscores_in_ids),
    Specimen("makes-slugs-of-ids", "NAME-5", "A label is silently turned into an id.", makes_slugs_of_ids),
    Specimen(
        "renames-only-what-has-no-prefix",
        "NAME-6",
        "A tool name that looks qualified is left as it is.",
        renames_only_what_has_no_prefix,
    ),
    Specimen("keeps-the-name-from-before", "NAME-6", "A name once given is kept.", keeps_the_name_from_before),
    Specimen("shortens-the-prefix", "NAME-6", "Ids are cut to three characters.", shortens_the_prefix),
)
"""Specimens of naming."""
