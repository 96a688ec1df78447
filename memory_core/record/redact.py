"""Secrets out of a text before it is stored, logged or sent: our rules and detect-secrets'.

Everything that leaves a session passes here. A marker names the kind of what was
removed; the value of a secret found once is removed wherever else it stands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from memory_core import redaction
from memory_core.redaction import Found

_SHORTEST = 8  # characters of a value that is looked for elsewhere
_DETECTORS = {  # lower-case substrings, one of which a text must hold
    "artifactory.ArtifactoryDetector": ("akc", " ap", "=ap", ":ap", '"ap', "\nap"),
    "aws.AWSKeyDetector": ("aws", "akia", "asia", "abia", "acca", "a3t"),
    "azure_storage_key.AzureStorageKeyDetector": ("accountkey",),
    "cloudant.CloudantDetector": ("cloudant", "clou", "cl_", "cl-"),
    "discord.DiscordBotTokenDetector": (".",),
    "github_token.GitHubTokenDetector": ("gh",),
    "gitlab_token.GitLabTokenDetector": ("gl", "gr1348941"),
    "ibm_cloud_iam.IbmCloudIamDetector": ("key", "pwd", "pass", "token"),
    "ibm_cos_hmac.IbmCosHmacDetector": ("secret",),
    "mailchimp.MailchimpDetector": ("-us",),
    "npm.NpmDetector": ("_authtoken",),
    "openai.OpenAIDetector": ("sk-",),
    "pypi_token.PypiTokenDetector": ("pypi-",),
    "sendgrid.SendGridDetector": ("sg.",),
    "slack.SlackDetector": ("xox", "hooks.slack"),
    "softlayer.SoftlayerDetector": ("softlayer", "sl_", "sl-"),
    "square_oauth.SquareOAuthDetector": ("sq0csp",),
    "stripe.StripeDetector": ("k_live_",),
    "telegram_token.TelegramBotTokenDetector": (":",),
    "twilio.TwilioKeyDetector": ("ac", "sk"),
}
_SIGN = re.compile(r"[A-Za-z0-9/+=_.:-]{12}")
_LONG = re.compile(r"[A-Za-z0-9_-]{20}")
_ANY_LENGTH = ("artifactory.ArtifactoryDetector", "npm.NpmDetector", "slack.SlackDetector")


def redacted(text: str) -> str:
    """The text with a marker in the place of every secret; a second pass changes nothing."""
    return Redactor().redacted(text)


@dataclass(slots=True)
class Redactor:
    """The secrets of texts that belong together; `kinds` counts what was removed."""

    kinds: Counter[str] = field(default_factory=Counter)
    _values: dict[str, str] = field(default_factory=dict)

    def redacted(self, text: str) -> str:
        """The text with markers; remembers the values."""
        places = redaction.merged([*redaction.found(text), *_detected(text)])
        for start, end, kind in places:
            self.kinds[kind] += 1
            if end - start >= _SHORTEST:
                self._values[text[start:end]] = kind
        return redaction.replaced(text, places)

    def swept(self, text: str) -> str:
        """The text without any value that another text gave away."""
        for value, kind in self._values.items():
            if value in text:
                self.kinds[kind] += text.count(value)
                text = text.replace(value, f"[redacted: {kind}]")
        return text


def _detected(text: str) -> Iterator[Found]:
    if not _SIGN.search(text):
        return
    lowered, long = text.lower(), _LONG.search(text) is not None
    for kind, pattern, signs, any_length in _patterns():
        if not (long or any_length) or not any(sign in lowered for sign in signs):
            continue
        for match in pattern.finditer(text):
            span = _secret_of(match)
            if _stands_alone(text, span) and _is_secret(text[slice(*span)]):
                yield (*span, kind)


def _secret_of(match: re.Match[str]) -> tuple[int, int]:
    """The last group that is long enough for a secret, or all of the match."""
    groups = [match.span(number) for number in range(1, match.re.groups + 1)]
    return next((span for span in reversed(groups) if span[1] - span[0] >= 10), match.span())


def _stands_alone(text: str, span: tuple[int, int]) -> bool:
    start, end = span
    around = text[start - 1 : start] if start else "", text[end : end + 1]
    return not any(character.isalnum() for character in around)


def _is_secret(value: str) -> bool:
    from detect_secrets.filters import heuristic

    value = value.strip(" \t\n\"'=:")
    if redaction.MARKER.search(value) or not redaction.is_plausible(value, strict=False):
        return False
    mixed = sum(any(map(test, value)) for test in (str.isdigit, str.islower, str.isupper))
    return not (
        mixed < 2
        or heuristic.is_sequential_string(value)
        or heuristic.is_templated_secret(value)
        or heuristic.is_not_alphanumeric_string(value)
    )


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str], tuple[str, ...], bool], ...]:
    from importlib import import_module

    found = []
    for name, signs in _DETECTORS.items():
        module, _, detector = name.partition(".")
        made: Any = getattr(import_module(f"detect_secrets.plugins.{module}"), detector)()
        kind = re.sub(r"[^a-z0-9 ]+", " ", made.secret_type.lower()).strip()
        found += [(kind, pattern, signs, name in _ANY_LENGTH) for pattern in made.denylist]
    return tuple(found)
