"""Masks what looks like a secret in text that leaves for a log, a journal or a prompt.

Only shapes are looked at: nothing is sent anywhere to find out whether a key is real.
"""

from __future__ import annotations

import base64
import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol, cast
from urllib.parse import quote

MASK = "[secret]"
"""Stands where a secret stood; matches no pattern itself, so that masking twice changes nothing."""

_SHORTEST = 8
_LONGEST_CUT = 256
_PIECE = 4096
"""Characters that a detector is given at once: some take the square of a text's length."""
_OVERLAP = 2048
"""Characters that the pieces of one long line share: longer than the longest token."""
_PEM = re.compile(
    r"-----BEGIN ([A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----.*?(?:-----END \1-----|\Z)",
    re.DOTALL,
)
_BEARER = re.compile(
    r"(?i)\b(?:authorization[\"']?\s*[:=]\s*[\"']?(?:basic|bearer|token)|bearer)"
    r"\s+(?=[^\s\"',;]*[0-9])([^\s\"',;]{8,})"
)
_NAMED = re.compile(
    r"""(?ix) (?: api[_-]?key | access[_-]?key | secret[_-]?key | client[_-]?secret | auth[_-]?token
        | access[_-]?token | private[_-]?key | passwd | password | secret | token | [?&]key )
    ["']? \s* (?: [:=] | => ) \s* ["']? ([A-Za-z0-9+/_.~=-]{16,})"""
)
_SHAPED = re.compile(
    r"""(?x) (?<![A-Za-z0-9_-]) (
        sk-[A-Za-z0-9_-]{20,} | AIza[A-Za-z0-9_-]{35} | hf_[A-Za-z0-9]{30,} | gh[pousr]_[A-Za-z0-9]{36,}
        | github_pat_[A-Za-z0-9_]{40,} | glpat-[A-Za-z0-9_-]{20,} | xox[abposr]-[A-Za-z0-9-]{10,}
        | (?:AKIA|ASIA)[A-Z0-9]{16} | npm_[A-Za-z0-9]{36} | pypi-[A-Za-z0-9_-]{40,}
        | (?:sk|rk)_live_[A-Za-z0-9]{20,} | ya29\.[A-Za-z0-9_-]{20,} | gsk_[A-Za-z0-9]{30,}
    ) (?![A-Za-z0-9_-])"""
)


_SECRET_NAME = re.compile(
    r"(?i)(?:^|_)(?:api_?key|key|token|secret|passw(?:or)?d|pass|credentials?|auth|pat|dsn)s?(?:$|_)"
)


class _Plugin(Protocol):
    def analyze_string(self, string: str) -> Iterable[str]: ...


def mask(text: str, known: Iterable[str] = ()) -> str:
    """Return the text with every secret replaced by `MASK`; `known` are values to mask wherever they stand.

    Idempotent; ordinary words of code stay as they are.
    """
    # One search for thousands of pieces is slow; nearly all texts hold none, which is quickly seen.
    there = tuple(form for form in _all_forms(tuple(known)) if _may_stand_in(form, text))
    if there:
        text = _known_pattern(there).sub(MASK, text)
    text = _PEM.sub(MASK, text)
    found = {m.group(1) for m in _SHAPED.finditer(text)}
    found.update(m.group(1) for m in _BEARER.finditer(text))
    found.update(m.group(1) for m in _NAMED.finditer(text) if _key_shaped(m.group(1)))
    for piece in _pieces(text):
        for plugin in _plugins():
            found.update(secret for secret in plugin.analyze_string(piece) if _worth(secret))
    for secret in sorted(found, key=len, reverse=True):
        if MASK not in secret:
            text = text.replace(secret, MASK)
    return text


def masking(known: Iterable[str]) -> Callable[[str], str]:
    """Return `mask` with values to mask wherever they stand."""
    return functools.partial(mask, known=tuple(known))


def known_secrets(environment: Mapping[str, str], *more: str | None) -> tuple[str, ...]:
    """Return the values that must reach no model, log or journal: of variables named like keys, and `more`.

    A variable whose value is a path, an address without a password, or a plain word is none: masking it would
    garble ordinary text.
    """
    found = {
        value for name, value in environment.items() if _SECRET_NAME.search(name) and _secret_like(value)
    }
    return tuple(sorted(found | {value for value in more if value}))


def _secret_like(value: str) -> bool:
    if len(value) < _SHORTEST or value.isalpha() or value.isdigit():
        return False
    if value.startswith(("/", "./", "~")) or any(c.isspace() for c in value):
        return False
    return "://" not in value or "@" in value


@functools.lru_cache(maxsize=8)
def _all_forms(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(form for value in values for form in _forms(value)))


@functools.lru_cache(maxsize=64)
def _known_pattern(forms: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds known secrets, longest first, and what is left of them where they are cut short."""
    pieces = {*forms, *(piece for form in forms for piece in _cut_forms(form))}
    return re.compile("|".join(map(re.escape, sorted(pieces, key=lambda piece: (-len(piece), piece)))))


def _pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces cut at line ends, as no token goes over one; a long line's overlap."""
    start = 0
    while len(text) - start > _PIECE:
        end = text.rfind("\n", start, start + _PIECE) + 1
        yield text[start : end or start + _PIECE]
        start = end or start + _PIECE - _OVERLAP
    yield text[start:]


def _may_stand_in(form: str, text: str) -> bool:
    """Return whether a text holds the shortest beginning or end of a secret that is masked."""
    least = _least(form)
    return form[:least] in text or form[-least:] in text


def _cut_forms(value: str) -> Iterator[str]:
    """Yield the beginnings and ends of a secret, down to a third of it: pytest shows long texts so."""
    for length in range(_least(value), len(value)):
        yield value[:length]
        yield value[-length:]


def _least(value: str) -> int:
    """Return how much of a secret is masked where it is cut short; a very long one is never cut."""
    if len(value) > _LONGEST_CUT:
        return len(value)
    # The scheme and the user of an address stand in ordinary text too.
    scheme = value.find("://")
    return max(_SHORTEST, len(value) // 3, scheme + len("://") + 4 if scheme >= 0 else 0)


def _forms(value: str) -> tuple[str, ...]:
    """Return a known secret's spellings: plain, in base 64, in an address, and inside a JSON text."""
    if len(value) < _SHORTEST:
        return ()
    data = value.encode("utf-8", "surrogatepass")
    return value, base64.b64encode(data).decode("ascii").rstrip("="), quote(data, ""), json.dumps(value)[1:-1]


def _key_shaped(value: str) -> bool:
    """Return whether a value looks made by chance: letters and digits mixed, unlike a name or a path."""
    digits = sum(c.isdigit() for c in value)
    letters = sum(c.isalpha() for c in value)
    return digits >= 3 and letters >= 3 and len(set(value)) >= 8 and not value.startswith(("/", "./", "../"))


def _worth(secret: str) -> bool:
    """Return whether a plugin's find is long enough to be replaced everywhere, and no plain word."""
    return len(secret) >= _SHORTEST and any(not c.isalpha() for c in secret)


@functools.cache
def _plugins() -> tuple[_Plugin, ...]:
    """Load the detectors of providers' own formats on first use: their import is slow.

    Entropy, keyword and IP detectors are left out, as they mask ordinary code.
    """
    from detect_secrets.plugins import (
        artifactory,
        aws,
        azure_storage_key,
        basic_auth,
        discord,
        github_token,
        gitlab_token,
        jwt,
        mailchimp,
        npm,
        openai,
        pypi_token,
        sendgrid,
        slack,
        square_oauth,
        stripe,
        telegram_token,
        twilio,
    )

    made = (
        artifactory.ArtifactoryDetector(),
        aws.AWSKeyDetector(),
        azure_storage_key.AzureStorageKeyDetector(),
        basic_auth.BasicAuthDetector(),
        discord.DiscordBotTokenDetector(),
        github_token.GitHubTokenDetector(),
        gitlab_token.GitLabTokenDetector(),
        jwt.JwtTokenDetector(),
        mailchimp.MailchimpDetector(),
        npm.NpmDetector(),
        openai.OpenAIDetector(),
        pypi_token.PypiTokenDetector(),
        sendgrid.SendGridDetector(),
        slack.SlackDetector(),
        square_oauth.SquareOAuthDetector(),
        stripe.StripeDetector(),
        telegram_token.TelegramBotTokenDetector(),
        twilio.TwilioKeyDetector(),
    )
    return cast("tuple[_Plugin, ...]", made)
